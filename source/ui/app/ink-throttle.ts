// The only function of es-toolkit that Ink uses. Loading just this one saves a fifth of the time until the first frame.

export { default as throttle } from "es-toolkit/compat/throttle";
