/** Dates and times between a text, which may be anything, and the browser's own pickers. */

/** What the picker begins with: as much of the text as it can hold. */
export function forPicker(format: string, text: string): string {
  const pattern =
    format === "date"
      ? /^\d{4}-\d\d-\d\d$/
      : format === "time"
        ? /^\d\d:\d\d(:\d\d)?$/
        : /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?/;
  return pattern.exec(text)?.[0] ?? "";
}

/** What the picker picked, as the format is written; a moment gets the offset of this browser's time zone. */
export function fromPicker(format: string, picked: string): string {
  const seconds = format !== "date" && /^(?:.*T)?\d\d:\d\d$/.test(picked) ? `${picked}:00` : picked;
  return format === "date-time" ? seconds + offsetAt(new Date(seconds)) : seconds;
}

function offsetAt(moment: Date): string {
  const minutes = -moment.getTimezoneOffset();
  const two = (number: number) => String(Math.floor(number)).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}`;
}
