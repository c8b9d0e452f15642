// Imported before anything that colours: chalk knows FORCE_COLOR but not NO_COLOR
// (https://no-color.org).
if (process.env.NO_COLOR) process.env.FORCE_COLOR = "0";
