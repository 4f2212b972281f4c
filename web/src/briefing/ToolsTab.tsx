import { useState } from "react";
import type { Briefing, ToolInfo } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { ErrorAlert } from "../ui/ErrorAlert";
import { describeSchemaType } from "./schemaType";

/** The tools that the model can call, each with its parameters. */
export function ToolsTab({ briefing }: { briefing: Briefing | null }) {
  if (!briefing) return <p className="quiet">Loading…</p>;
  if (briefing.problem) return <ErrorAlert title={briefing.problem} />;
  if (briefing.tools.length === 0) {
    return <p className="quiet">{briefing.note || "This agent has no tools. It can only answer."}</p>;
  }
  return (
    <ul className="tools">
      {briefing.tools.map((tool) => (
        <li key={tool.name}>
          <ToolEntry tool={tool} />
        </li>
      ))}
    </ul>
  );
}

function ToolEntry({ tool }: { tool: ToolInfo }) {
  const properties = Object.entries((tool.parameters.properties ?? {}) as Record<string, Record<string, unknown>>);
  const required = (tool.parameters.required ?? []) as string[];
  return (
    <details className="tool">
      <summary>
        <b className="mono tool-name">{tool.name}</b>
        {tool.asks_for_consent ? (
          <span className="quiet" title="A call of this tool may ask the user for consent">
            may ask for consent
          </span>
        ) : null}
        <span className="quiet tool-line">{tool.description.split("\n")[0]}</span>
      </summary>
      <div className="tool-body">
        <p className="tool-text">{tool.description}</p>
        {properties.length ? (
          <table className="parameters">
            <tbody>
              {properties.map(([name, schema]) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{name}</code>
                    {required.includes(name) ? <span title="required"> *</span> : null}
                  </th>
                  <td>
                    <code className="quiet">{describeSchemaType(schema)}</code>
                    {typeof schema.description === "string" ? <div className="quiet">{schema.description}</div> : null}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        ) : (
          <p className="quiet">No parameters.</p>
        )}
        <SchemaDetails title="Schema of the parameters" schema={tool.parameters} />
        {tool.response_schema ? <SchemaDetails title="Schema of the result" schema={tool.response_schema} /> : null}
      </div>
    </details>
  );
}

/** A schema that is rendered once it is opened: an agent may have hundreds. */
function SchemaDetails({ title, schema }: { title: string; schema: Record<string, unknown> }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="quiet">{title}</summary>
      {isOpen ? <JsonTextTree text={JSON.stringify(schema)} /> : null}
    </details>
  );
}
