// Numbers formatted as by Go's strconv.

/** Most digits after the point that JavaScript writes; further ones are zero. */
const maxDigits = 100;

/** Formats %v of a float64: the fewest digits, with an exponent from 1e+06 up and below 1e-04. */
export function shortestFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (value !== 0 && (power < -4 || power >= 6)) return withExponent(mantissa, power);
  return plainDecimal(String(value));
}

/** Formats %f. */
export function fixedFloat(magnitude: number, precision: number): string {
  const digits = Math.min(precision, maxDigits);
  // toFixed writes an exponent from 1e21 up.
  const text =
    magnitude < 1e21
      ? tieToEven(magnitude.toFixed(digits), magnitude.toFixed(maxDigits), digits)
      : BigInt(magnitude).toString() + (digits > 0 ? `.${"0".repeat(digits)}` : "");
  return text + "0".repeat(precision - digits);
}

/** Formats %e. */
export function exponentFloat(magnitude: number, precision: number): string {
  const [mantissa, power] = scientific(magnitude, Math.min(precision, maxDigits));
  return withExponent(mantissa, power);
}

/** Formats %g with a number of significant digits. */
export function significantFloat(magnitude: number, digits: number): string {
  const precision = Math.min(Math.max(digits, 1), maxDigits);
  const [mantissa, power] = scientific(magnitude, precision - 1);
  const short = (text: string) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (power < -4 || power >= precision) return withExponent(short(mantissa), power);
  return short(fixedFloat(magnitude, Math.max(precision - 1 - power, 0)));
}

/** Returns the digits before the exponent, and the exponent. */
function scientific(magnitude: number, digits: number): [mantissa: string, power: number] {
  const [mantissa = "", exponent = "0"] = magnitude.toExponential(digits).split("e");
  const [exact = "", exactExponent = "0"] = magnitude.toExponential(maxDigits).split("e");
  const even = tieToEven(mantissa, exact, digits);
  return [even, Number(even === mantissa ? exponent : exactExponent)];
}

/**
 * Rounds ties to even: JavaScript rounds them up, Go to the even digit.
 *
 * @param exact the same number with all its digits
 */
function tieToEven(rounded: string, exact: string, digits: number): string {
  const point = exact.indexOf(".");
  const lower = exact.slice(0, digits === 0 ? point : point + 1 + digits);
  const isTie = /^\.?50*$/.test(exact.slice(lower.length));
  return isTie && /[02468]$/.test(lower) ? lower : rounded;
}

function withExponent(mantissa: string, power: number): string {
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** Removes the exponent that JavaScript writes below 1e-6. */
function plainDecimal(text: string): string {
  const [mantissa = "", exponent] = text.split("e-");
  if (exponent === undefined) return text;
  const sign = mantissa.startsWith("-") ? "-" : "";
  return `${sign}0.${"0".repeat(Number(exponent) - 1)}${mantissa.replace(/[-.]/g, "")}`;
}
