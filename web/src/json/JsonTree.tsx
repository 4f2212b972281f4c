import { type ReactNode, useMemo, useState } from "react";
import { CopyButton } from "../ui/CopyButton";
import { isNumber, type Json, JsonError, parse, stringify, textOf } from "./lossless";
import { preview } from "./preview";
import { type RenderMarkdown, TextValue } from "./TextValue";
import "./json-tree.css";

interface Shared {
  openLevels: number;
  renderMarkdown?: RenderMarkdown | undefined;
}

interface TreeProps {
  value: Json;
  /** How many levels are open at first. */
  openLevels?: number;
  renderMarkdown?: RenderMarkdown | undefined;
}

const CHUNK = 100;

/** A JSON value as a tree that opens and folds; nothing of it is ever drawn before it is open. */
export function JsonTree({ value, openLevels = 2, renderMarkdown }: TreeProps) {
  return (
    <div className="jt">
      <Node value={value} depth={0} shared={{ openLevels, renderMarkdown }} />
    </div>
  );
}

interface TextProps {
  text: string;
  openLevels?: number;
  renderMarkdown?: RenderMarkdown | undefined;
}

/** A JSON text as a tree; as it stands if it cannot be read, such as when only its beginning is there. */
export function JsonTextTree({ text, ...rest }: TextProps) {
  const value = useMemo(() => read(text), [text]);
  return value === undefined ? <pre className="jt jt-plain">{text}</pre> : <JsonTree value={value} {...rest} />;
}

function read(text: string): Json | undefined {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof JsonError) {
      return undefined;
    }
    throw error;
  }
}

interface NodeProps {
  name?: string | number;
  value: Json;
  depth: number;
  shared: Shared;
}

function Node({ name, value, depth, shared }: NodeProps) {
  const label = name === undefined ? null : <span className="jt-name">{name}</span>;
  if (typeof value === "string") {
    const { renderMarkdown } = shared;
    const renderJson = (inside: Json) => <JsonTree value={inside} {...shared} />;
    return <TextValue label={label} name={name} text={value} depth={depth} {...{ renderJson, renderMarkdown }} />;
  }
  if (!(value instanceof Map) && !Array.isArray(value)) {
    return (
      <div className="jt-row">
        {label}
        <span className={isNumber(value) ? "jt-number" : "jt-word"}>
          {isNumber(value) ? textOf(value) : String(value)}
        </span>
        <CopyButton plain label="copy" title={`Copy ${what(name)}`} text={() => stringify(value)} />
      </div>
    );
  }
  return <Branch label={label} name={name} value={value} depth={depth} shared={shared} />;
}

interface BranchProps {
  label: ReactNode;
  name: string | number | undefined;
  value: Json[] | Map<string, Json>;
  depth: number;
  shared: Shared;
}

function Branch({ label, name, value, depth, shared }: BranchProps) {
  const size = Array.isArray(value) ? value.length : value.size;
  const [open, setOpen] = useState(depth < shared.openLevels);
  const count = Array.isArray(value) ? `[${size}]` : `{${size}}`;
  if (size === 0) {
    return (
      <div className="jt-row">
        {label}
        <span className="jt-quiet">{Array.isArray(value) ? "[]" : "{}"}</span>
      </div>
    );
  }
  return (
    <div className="jt-branch">
      <div className="jt-row">
        <button type="button" className="jt-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          {label}
          <span className="jt-quiet">{open ? count : preview(value)}</span>
        </button>
        <CopyButton plain label="copy" title={`Copy ${what(name)}`} text={() => stringify(value, 2)} />
      </div>
      {open ? (
        <div className="jt-inside">
          <Range value={value} from={0} to={size} depth={depth + 1} shared={shared} />
        </div>
      ) : null}
    </div>
  );
}

interface RangeProps {
  value: Json[] | Map<string, Json>;
  from: number;
  to: number;
  depth: number;
  shared: Shared;
}

/** Some of the items; more than a hundred are folded by hundreds, more than ten thousand by ten thousands. */
function Range({ value, from, to, depth, shared }: RangeProps) {
  let size = 1;
  while ((to - from) / size > CHUNK) {
    size *= CHUNK;
  }
  if (size > 1) {
    const starts = Array.from({ length: Math.ceil((to - from) / size) }, (_, index) => from + index * size);
    return starts.map((start) => (
      <Chunk key={start} value={value} from={start} to={Math.min(to, start + size)} depth={depth} shared={shared} />
    ));
  }
  const entries: [string | number, Json][] = Array.isArray(value)
    ? value.slice(from, to).map((item, index) => [from + index, item])
    : [...value].slice(from, to);
  return entries.map(([step, item]) => <Node key={step} name={step} value={item} depth={depth} shared={shared} />);
}

function Chunk({ value, from, to, depth, shared }: RangeProps) {
  const [open, setOpen] = useState(false);
  return (
    <div className="jt-branch">
      <div className="jt-row">
        <button type="button" className="jt-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          <span className="jt-quiet">
            {from} … {to - 1}
          </span>
        </button>
      </div>
      {open ? (
        <div className="jt-inside">
          <Range value={value} from={from} to={to} depth={depth} shared={shared} />
        </div>
      ) : null}
    </div>
  );
}

function what(name: string | number | undefined): string {
  return name === undefined ? "all of it" : String(name);
}
