/** JSON that is serialized exactly as it was parsed. */

export { JsonError, parse, parseNumber } from "./parse";
export { stringify } from "./stringify";
export {
  ExactNumber,
  formatNumber,
  fromPlain,
  isEqual,
  isNumber,
  type Json,
  type JsonObject,
} from "./value";
