/** JSON that goes out as it came in. */

export { JsonError, parse, readNumber } from "./read";
export { fromPlain, isNumber, type Json, type JsonObject, Num, same, textOf } from "./value";
export { stringify } from "./write";
