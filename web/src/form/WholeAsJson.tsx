import { withRaw } from "./draft";
import { ProblemList } from "./ProblemList";
import { RawJson } from "./RawJson";
import { useScope } from "./scope";

/** What the whole is called among the fields that were left, while it is edited as JSON. */
export const RAW = "#raw";

/** All of the form as one JSON text; `refused` says that the way back to the form was tried. */
export function WholeAsJson({ refused }: { refused: boolean }) {
  const scope = useScope();
  const { draft, disabled, idPrefix, problems } = scope;
  const id = `${idPrefix}${RAW}`;
  const told = scope.showAll || refused || draft.left[RAW] === true ? problems : [];
  return (
    <div className="sf-whole">
      <RawJson
        text={draft.raw ?? ""}
        onText={(text) => scope.edit((found) => withRaw(found, text))}
        rows={8}
        spoken={{
          id,
          disabled,
          "aria-label": "JSON",
          "aria-describedby": `${id}-problems`,
          ...(told.length > 0 ? { "aria-invalid": true } : {}),
        }}
      />
      <ProblemList id={`${id}-problems`} problems={told}>
        {refused ? "Mend this to go back to the form." : null}
      </ProblemList>
    </div>
  );
}
