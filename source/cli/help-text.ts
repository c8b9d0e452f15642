// What `modelctl --help` prints.

export const helpText = `
Usage
  modelctl                           open the chat on the built-in model
  modelctl run MODEL                 chat with a model
  modelctl run MODEL "PROMPT"        print one answer
  modelctl serve                     serve /v1 and /api
  modelctl doctor                    what this machine can run models on
  modelctl config show [--origin]    the settings, and where each comes from

MODEL is tiny (built in) or the path of a .gguf file. Text on standard input goes in front of PROMPT.

Chat
  --keepalive TIME     how long the model stays loaded afterwards, such as 10m; -1 for good
  --system TEXT        system text
  --verbose            print counts and times after each answer, on standard error
  --plain              a line loop instead of the full screen

Server
  --host HOST          address to bind or to reach (MODELCTL_HOST)         127.0.0.1
  --port PORT          port to bind or to reach                            11434
  --connect URL        use the server at URL and start none
  --key KEY            key for that server
  --gpu DEVICE         auto, cpu, cuda, metal, rocm or vulkan (MODELCTL_GPU)
  --num-parallel N     requests that a model answers at the same time      4
  --context-length N   tokens of one conversation's window                 4096
  --debug              log what the engine says

  --help, --version

Exit codes: 0 ok, 1 unexpected, 2 usage, 3 not found, 4 refused, 5 port or name taken,
6 model failed to load, 7 timeout, 8 server unreachable, 130 interrupted
`;
