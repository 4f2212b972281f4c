import { useEffect, useMemo, useState } from "react";
import { type Json, JsonError, parse } from "./lossless";
import { parseInSlices, SLICE_LENGTH } from "./parseInSlices";

/** A JSON text as far as it is parsed; `invalid` if it is not JSON. */
export type ParsedJson = { status: "reading" } | { status: "invalid" } | { status: "parsed"; value: Json };

const READING: ParsedJson = { status: "reading" };
const INVALID: ParsedJson = { status: "invalid" };

/** Parses a text: a short one at once, a longer one in slices until the component is gone. Null is never JSON. */
export function useParsedJson(text: string | null): ParsedJson {
  const isLong = text !== null && text.length > SLICE_LENGTH;
  const short = useMemo(() => (text === null ? INVALID : isLong ? READING : tryParse(text)), [text, isLong]);
  const [long, setLong] = useState({ text, parsed: READING });
  useEffect(() => {
    if (text === null || !isLong) {
      return;
    }
    const closed = new AbortController();
    parseInSlices(text, closed.signal).then(
      (value) => setLong({ text, parsed: { status: "parsed", value } }),
      (error: unknown) => {
        if (!closed.signal.aborted) {
          setLong(() => ({ text, parsed: toInvalid(error) }));
        }
      },
    );
    return () => closed.abort();
  }, [text, isLong]);
  return isLong && long.text === text ? long.parsed : short;
}

function tryParse(text: string): ParsedJson {
  try {
    return { status: "parsed", value: parse(text) };
  } catch (error) {
    return toInvalid(error);
  }
}

/** A text that is not JSON is an expected case, any other error is not. */
function toInvalid(error: unknown): ParsedJson {
  if (error instanceof JsonError) {
    return INVALID;
  }
  throw error;
}
