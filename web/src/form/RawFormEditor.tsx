import { withRaw } from "./draft";
import { useFormContext } from "./formContext";
import { JsonTextArea } from "./JsonTextArea";
import { ProblemList } from "./ProblemList";

/** The key of the whole form in `touched`, while it is edited as JSON. */
export const RAW_KEY = "#raw";

/** The whole form as one JSON text; `isInvalid` after an attempt to return to the form failed. */
export function RawFormEditor({ isInvalid }: { isInvalid: boolean }) {
  const context = useFormContext();
  const { draft, disabled, idPrefix, problems } = context;
  const id = `${idPrefix}${RAW_KEY}`;
  const shownProblems = context.showAll || isInvalid || draft.touched[RAW_KEY] === true ? problems : [];
  return (
    <div className="sf-whole">
      <JsonTextArea
        text={draft.raw ?? ""}
        onText={(text) => context.update((current) => withRaw(current, text))}
        rows={8}
        controlProps={{
          id,
          disabled,
          "aria-label": "JSON",
          "aria-describedby": `${id}-problems`,
          ...(shownProblems.length > 0 ? { "aria-invalid": true } : {}),
        }}
      />
      <ProblemList id={`${id}-problems`} problems={shownProblems}>
        {isInvalid ? "Fix the JSON to return to the form." : null}
      </ProblemList>
    </div>
  );
}
