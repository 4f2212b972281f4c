/** Converts dates and times between free text and the browser's pickers. */

/** The picker's initial value: as much of the text as it can hold. */
export function toPickerValue(format: string, text: string): string {
  const pattern =
    format === "date"
      ? /^\d{4}-\d\d-\d\d$/
      : format === "time"
        ? /^\d\d:\d\d(:\d\d)?$/
        : /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?/;
  return pattern.exec(text)?.[0] ?? "";
}

/** The picked value in the schema's format; a date-time gets the offset of the browser's time zone. */
export function fromPickerValue(format: string, picked: string): string {
  const seconds = format !== "date" && /^(?:.*T)?\d\d:\d\d$/.test(picked) ? `${picked}:00` : picked;
  return format === "date-time" ? seconds + formatUtcOffset(new Date(seconds)) : seconds;
}

function formatUtcOffset(moment: Date): string {
  const minutes = -moment.getTimezoneOffset();
  const two = (number: number) => String(Math.floor(number)).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}`;
}
