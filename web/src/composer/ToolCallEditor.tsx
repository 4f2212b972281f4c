import { SchemaForm } from "../form";
import { SelectedTool } from "./SelectedTool";
import { ToolFinder } from "./ToolFinder";
import type { TurnActions } from "./useTurnActions";
import type { TurnForms } from "./useTurnForms";

/** The tool to call and its arguments; the finder until one is picked. */
export function ToolCallEditor({
  forms,
  actions,
  find,
  onFind,
}: {
  forms: TurnForms;
  actions: TurnActions;
  find: string;
  onFind: (text: string) => void;
}) {
  const { tool, callForm } = forms;
  if (tool && callForm) {
    return (
      <>
        <SelectedTool tool={tool} isOffered={forms.isOffered(tool.name)} onChangeTool={() => actions.findTool()} />
        <SchemaForm
          key={tool.name}
          idPrefix="call"
          schema={tool.parameters}
          draft={callForm}
          onDraft={forms.setCallForm}
          onLeave={forms.checkCallForm}
          problems={forms.problems}
          showAll={forms.wasRejected}
        />
      </>
    );
  }
  return (
    <ToolFinder
      tools={forms.tools}
      query={find}
      onQuery={onFind}
      onPick={actions.pickTool}
      onInvent={actions.inventTool}
      onSlash={actions.typeSlash}
      onRespond={forms.responseSchema ? undefined : actions.moveSearchToResponse}
    />
  );
}
