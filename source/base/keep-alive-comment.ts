// A sign of life in a stream of server-sent events that is silent for long: its readers skip it.
export const keepAliveComment = ": keep-alive\n\n";
