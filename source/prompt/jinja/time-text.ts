// Times formatted as by Python's strftime() in the C locale.

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  ...["January", "February", "March", "April", "May", "June", "July"],
  ...["August", "September", "October", "November", "December"],
];

/** Formats a time; `%-d` is `%d` without a leading zero, and unknown codes stay unchanged. */
export function timeText(time: Date, format: string): string {
  return format.replaceAll(/%(-?)([a-zA-Z%])/g, (whole, dash: string, code: string) => {
    const text = part(time, code) ?? whole;
    return dash === "-" && /^0\d/.test(text) ? text.replace(/^0+(?=\d)/, "") : text;
  });
}

function part(time: Date, code: string): string | undefined {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = days[time.getDay()] ?? "";
  const month = months[time.getMonth()] ?? "";
  const hour = time.getHours();
  switch (code) {
    case "Y":
      return String(time.getFullYear());
    case "y":
      return two(time.getFullYear() % 100);
    case "m":
      return two(time.getMonth() + 1);
    case "d":
      return two(time.getDate());
    case "e":
      return String(time.getDate()).padStart(2, " ");
    case "H":
      return two(hour);
    case "I":
      return two(hour % 12 === 0 ? 12 : hour % 12);
    case "M":
      return two(time.getMinutes());
    case "S":
      return two(time.getSeconds());
    case "f":
      return String(time.getMilliseconds() * 1000).padStart(6, "0");
    case "p":
      return hour < 12 ? "AM" : "PM";
    case "A":
      return day;
    case "a":
      return day.slice(0, 3);
    case "B":
      return month;
    case "b":
    case "h":
      return month.slice(0, 3);
    case "j":
      return dayOfYear(time);
    case "w":
      return String(time.getDay());
    case "F":
      return timeText(time, "%Y-%m-%d");
    case "T":
    case "X":
      return timeText(time, "%H:%M:%S");
    case "D":
    case "x":
      return timeText(time, "%m/%d/%y");
    case "c":
      return timeText(time, "%a %b %e %H:%M:%S %Y");
    case "Z":
    case "z":
      return "";
    case "n":
      return "\n";
    case "t":
      return "\t";
    case "%":
      return "%";
    default:
      return undefined;
  }
}

function dayOfYear(time: Date): string {
  const day = Date.UTC(time.getFullYear(), time.getMonth(), time.getDate());
  const first = Date.UTC(time.getFullYear(), 0, 1);
  return String((day - first) / 86_400_000 + 1).padStart(3, "0");
}
