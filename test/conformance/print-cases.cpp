// Replaces llama.cpp's chat library when the test tables of its tests/test-chat.cpp are compiled:
// each case is printed as a line of JSON instead of being run.
//
// The file `cases.inc` beside the compiled copy holds the tools, the messages and the functions with
// the cases, cut out of test-chat.cpp; see parsers.ts.
#include <cassert>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct common_chat_tool_call {
    std::string name, arguments, id;
};
struct common_chat_msg_content_part {
    std::string type, text;
};
struct common_chat_msg {
    std::string role, content;
    std::vector<common_chat_msg_content_part> content_parts;
    std::vector<common_chat_tool_call> tool_calls;
    std::string reasoning_content, tool_name, tool_call_id;
};
struct common_chat_tool {
    std::string name, description, parameters;
};
enum common_chat_tool_choice {
    COMMON_CHAT_TOOL_CHOICE_AUTO,
    COMMON_CHAT_TOOL_CHOICE_REQUIRED,
    COMMON_CHAT_TOOL_CHOICE_NONE,
};
enum common_reasoning_format {
    COMMON_REASONING_FORMAT_NONE,
    COMMON_REASONING_FORMAT_AUTO,
    COMMON_REASONING_FORMAT_DEEPSEEK_LEGACY,
    COMMON_REASONING_FORMAT_DEEPSEEK,
};
enum common_chat_continuation {
    COMMON_CHAT_CONTINUATION_NONE,
    COMMON_CHAT_CONTINUATION_AUTO,
    COMMON_CHAT_CONTINUATION_REASONING,
    COMMON_CHAT_CONTINUATION_CONTENT,
};

// Everything else that the functions use: it only has to compile.
struct common_chat_templates_inputs {
    std::vector<common_chat_msg> messages;
    std::vector<common_chat_tool> tools;
    common_reasoning_format reasoning_format;
    bool add_generation_prompt, enable_thinking, use_jinja;
};
struct common_chat_params {
    std::string prompt, parser;
};
struct common_chat_parser_params {
    std::string generation_prompt;
    explicit common_chat_parser_params(const common_chat_params &) {}
};
struct common_peg_arena {
    void load(const std::string &) {}
};
using common_chat_templates_ptr = std::unique_ptr<int>;
static std::string g_template_filter;
static common_chat_templates_ptr read_templates(const std::string &) { return nullptr; }
static std::string read_file(const std::string &) { return {}; }
static int * common_chat_templates_init(std::nullptr_t, const std::string &) { return nullptr; }
static common_chat_params common_chat_templates_apply(int *, const common_chat_templates_inputs &) {
    return {};
}
static void common_chat_peg_parse(const common_peg_arena &, const std::string &, bool,
                                  const common_chat_parser_params &) {}
static bool string_ends_with(const std::string &, const std::string &) { return false; }
#define LOG_DBG(...)
#define GGML_ASSERT(condition) ((void) (condition))

static std::string quoted(const std::string & text) {
    std::string json = "\"";
    for (const char character : text) {
        if (static_cast<unsigned char>(character) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", character);
            json += escape;
        } else {
            if (character == '"' || character == '\\') json += '\\';
            json += character;
        }
    }
    return json + '"';
}

template <class T> static std::string list(const std::vector<T> & items,
                                           std::function<std::string(const T &)> write) {
    std::string json;
    for (const auto & item : items) json += (json.empty() ? "" : ",") + write(item);
    return "[" + json + "]";
}

static std::string written(const common_chat_msg & message) {
    const auto calls = list<common_chat_tool_call>(message.tool_calls, [](const auto & call) {
        return "{\"name\":" + quoted(call.name) + ",\"arguments\":" + quoted(call.arguments) +
               ",\"id\":" + quoted(call.id) + "}";
    });
    return "{\"role\":" + quoted(message.role) + ",\"content\":" + quoted(message.content) +
           ",\"thinking\":" + quoted(message.reasoning_content) + ",\"calls\":" + calls + "}";
}

static const char * boolean(bool value) { return value ? "true" : "false"; }

class peg_test_builder;
class peg_tester {
  public:
    std::string path;
    explicit peg_tester(const std::string & template_path, bool = false) : path(template_path) {}
    peg_test_builder test(const std::string & input);
};

class peg_test_builder {
    std::string path_, input_, schema_;
    std::vector<common_chat_msg> messages_;
    std::vector<common_chat_tool> tools_;
    common_chat_msg expect_;
    common_reasoning_format reasoning_ = COMMON_REASONING_FORMAT_NONE;
    common_chat_tool_choice choice_ = COMMON_CHAT_TOOL_CHOICE_AUTO;
    common_chat_continuation continuation_ = COMMON_CHAT_CONTINUATION_NONE;
    bool thinks_ = true, parallel_ = false, generation_prompt_ = true, partial_ = false;

  public:
    peg_test_builder(std::string path, std::string input)
        : path_(std::move(path)), input_(std::move(input)) {}

    using self = peg_test_builder &;
    self reasoning_format(common_reasoning_format format) { reasoning_ = format; return *this; }
    self tools(std::vector<common_chat_tool> tools) { tools_ = std::move(tools); return *this; }
    self enable_thinking(bool thinks) { thinks_ = thinks; return *this; }
    self parallel_tool_calls(bool parallel) { parallel_ = parallel; return *this; }
    self add_generation_prompt(bool adds) { generation_prompt_ = adds; return *this; }
    self continue_final_message(common_chat_continuation how) { continuation_ = how; return *this; }
    self json_schema(const std::string & schema) { schema_ = schema; return *this; }
    self is_partial(bool partial) { partial_ = partial; return *this; }
    self expect_reconstruction(bool = true) { return *this; }
    self expect(const common_chat_msg & message) { expect_ = message; return *this; }
    self expect_content(const std::string & text) { expect_.content = text; return *this; }
    self expect_reasoning(const std::string & text) { expect_.reasoning_content = text; return *this; }
    self tool_choice(common_chat_tool_choice choice) { choice_ = choice; return *this; }
    self expect_tool_calls(std::vector<common_chat_tool_call> calls) {
        expect_.tool_calls = std::move(calls);
        return *this;
    }
    self messages(std::vector<common_chat_msg> messages) {
        messages_ = std::move(messages);
        return *this;
    }

    void run() {
        const auto tools = list<common_chat_tool>(tools_, [](const auto & tool) {
            return "{\"name\":" + quoted(tool.name) + ",\"description\":" + quoted(tool.description) +
                   ",\"parameters\":" + quoted(tool.parameters) + "}";
        });
        static const char * const choices[] = { "auto", "required", "none" };
        std::printf(
            "{\"template\":%s,\"input\":%s,\"readsThinking\":%s,\"thinks\":%s,\"tools\":%s,"
            "\"toolChoice\":\"%s\",\"parallel\":%s,\"schema\":%s,\"messages\":%s,"
            "\"generationPrompt\":%s,\"continues\":%s,\"isPartial\":%s,\"expected\":%s}\n",
            quoted(path_).c_str(), quoted(input_).c_str(),
            boolean(reasoning_ != COMMON_REASONING_FORMAT_NONE), boolean(thinks_), tools.c_str(),
            choices[choice_], boolean(parallel_), quoted(schema_).c_str(),
            list<common_chat_msg>(messages_, written).c_str(), boolean(generation_prompt_),
            boolean(continuation_ != COMMON_CHAT_CONTINUATION_NONE), boolean(partial_),
            written(expect_).c_str());
    }
};

peg_test_builder peg_tester::test(const std::string & input) { return { path, input }; }

// Checks between the cases would fail, as the replacements above render nothing.
#define throw if (false) throw
#include "cases.inc"
#undef throw

int main() {
    test_template_output_peg_parsers(false);
    return 0;
}
