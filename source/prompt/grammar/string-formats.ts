// Grammar for the content of strings with a `format`.

const month31 = '("0" [13578] | "10" | "12") "-" ("0" [1-9] | [12] [0-9] | "3" [01])';
const month30 = '("0" [469] | "11") "-" ("0" [1-9] | [12] [0-9] | "30")';
const february = '"02-" ("0" [1-9] | [12] [0-9])';
const date = `[0-9]{4} "-" (${month31} | ${month30} | ${february})`;
const clock = '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9]';
const time = `${clock} ":" [0-5] [0-9] ("." [0-9]{1,9})? ("Z" | [+-] ${clock})`;
const label = "[a-zA-Z0-9] ([a-zA-Z0-9-]{0,61} [a-zA-Z0-9])?";
const byte = '("25" [0-5] | "2" [0-4] [0-9] | "1" [0-9] [0-9] | [1-9]? [0-9])';

/**
 * Follows RFC 3339 (date and time), 4122 (uuid) and, in their plain forms, 5321 and 2673. Other formats
 * are annotations without effect, as in JSON Schema.
 */
export const stringFormats: ReadonlyMap<string, string> = new Map(
  Object.entries({
    date,
    time,
    "date-time": `${date} "T" ${time}`,
    uuid: '[0-9a-fA-F]{8} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{12}',
    email: `[a-zA-Z0-9_+-]{1,64} ("." [a-zA-Z0-9_+-]{1,64})? "@" (${label} "."){1,8} [a-zA-Z]{2,24}`,
    ipv4: `${byte} "." ${byte} "." ${byte} "." ${byte}`,
  }),
);
