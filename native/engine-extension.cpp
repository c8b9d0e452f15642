// Engine extension: what llama.cpp can do and node-llama-cpp's addon does not expose.
//
// node-llama-cpp ships llama.cpp as shared libraries, its addon's headers and llama.cpp's sources. This
// file sets options of the addon's models and contexts before they are initialised, and passes states from
// a model to its MTP heads; image-reader.cpp gives it images. It is compiled on the user's machine
// (source/application/devices/build-extension.ts) for one prebuilt build, and leaves all decisions to
// TypeScript.
#include <cstdlib>
#include <cstring>
#include <list>
#include <string>
#include <vector>

#include "AddonContext.h"
#include "AddonModel.h"
#include "ggml-backend.h"
#include "llama.h"
#include "llama-ext.h"
#include "napi.h"

void register_image_reader(Napi::Env env, Napi::Object exports);

namespace {

// Memory that a model's parameters point to while it loads.
struct ModelOptions {
    std::vector<float> tensor_split;
    std::list<std::string> patterns;
    std::vector<llama_model_tensor_buft_override> overrides;
};

bool has(const Napi::Object & options, const char * name) {
    return options.Has(name) && !options.Get(name).IsUndefined();
}

// configureModel(model, { cpuExpertLayers?, splitMode?, mainGpu?, tensorSplit?, loadMtp? }), before model.init().
Napi::Value configure_model(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    Napi::Object object = info[0].As<Napi::Object>();
    auto * model = Napi::ObjectWrap<AddonModel>::Unwrap(object);
    const Napi::Object options = info[1].As<Napi::Object>();
    llama_model_params & params = model->model_params;
    auto * kept = new ModelOptions();
    // Freed with the JavaScript object of the model.
    object.Set("extensionOptions", Napi::External<ModelOptions>::New(env, kept, [](Napi::Env, ModelOptions * data) {
        delete data;
    }));
    if (has(options, "cpuExpertLayers")) {
        const int layers = options.Get("cpuExpertLayers").As<Napi::Number>().Int32Value();
        for (int layer = 0; layer < layers; layer++) {
            // As llama-server's --n-cpu-moe; a dot ends the number, so that 1 is not 10.
            kept->patterns.push_back("blk\\." + std::to_string(layer) + "\\.ffn_(up|down|gate|gate_up)_(ch|)exps");
            kept->overrides.push_back({ kept->patterns.back().c_str(), ggml_backend_cpu_buffer_type() });
        }
        kept->overrides.push_back({ nullptr, nullptr });
        params.tensor_buft_overrides = kept->overrides.data();
    }
    if (has(options, "splitMode")) {
        const std::string mode = options.Get("splitMode").As<Napi::String>().Utf8Value();
        params.split_mode = mode == "none" ? LLAMA_SPLIT_MODE_NONE
            : mode == "row" ? LLAMA_SPLIT_MODE_ROW
            : LLAMA_SPLIT_MODE_LAYER;
    }
    if (has(options, "loadMtp")) {
        params.load_mtp = options.Get("loadMtp").As<Napi::Boolean>().Value();
    }
    if (has(options, "mainGpu")) {
        params.main_gpu = options.Get("mainGpu").As<Napi::Number>().Int32Value();
    }
    if (has(options, "tensorSplit")) {
        const Napi::Array shares = options.Get("tensorSplit").As<Napi::Array>();
        kept->tensor_split.assign(llama_max_devices(), 0.0f);
        for (uint32_t i = 0; i < shares.Length() && i < kept->tensor_split.size(); i++) {
            kept->tensor_split[i] = shares.Get(i).As<Napi::Number>().FloatValue();
        }
        params.tensor_split = kept->tensor_split.data();
    }
    return env.Undefined();
}

// configureContext(context, { unifiedCache?, recurrentSnapshots?, isMtp? }), before context.init().
Napi::Value configure_context(const Napi::CallbackInfo & info) {
    auto * context = Napi::ObjectWrap<AddonContext>::Unwrap(info[0].As<Napi::Object>());
    const Napi::Object options = info[1].As<Napi::Object>();
    if (has(options, "unifiedCache")) {
        context->context_params.kv_unified = options.Get("unifiedCache").As<Napi::Boolean>().Value();
    }
    if (has(options, "recurrentSnapshots")) {
        context->context_params.n_rs_seq = options.Get("recurrentSnapshots").As<Napi::Number>().Uint32Value();
    }
    if (has(options, "isMtp") && options.Get("isMtp").As<Napi::Boolean>().Value()) {
        context->context_params.ctx_type = LLAMA_CONTEXT_TYPE_MTP;
    }
    return info.Env().Undefined();
}

llama_context * context_of(const Napi::Value & value) {
    return Napi::ObjectWrap<AddonContext>::Unwrap(value.As<Napi::Object>())->ctx;
}

// keepStates(context, ofAll), after context.init(): each decode then keeps the states that MTP heads take,
// of all tokens, or only of those with an output.
Napi::Value keep_states(const Napi::CallbackInfo & info) {
    llama_set_embeddings_nextn(context_of(info[0]), true, !info[1].As<Napi::Boolean>().Value());
    return info.Env().Undefined();
}

// states(context, count): those of the last decode's first tokens, one after the other.
Napi::Value states(const Napi::CallbackInfo & info) {
    llama_context * context = context_of(info[0]);
    const size_t length = info[1].As<Napi::Number>().Uint32Value() * llama_model_n_embd_out(llama_get_model(context));
    const float * rows = llama_get_embeddings_nextn(context);
    if (rows == nullptr) {
        Napi::Error::New(info.Env(), "the model has no states for its MTP heads").ThrowAsJavaScriptException();
        return info.Env().Undefined();
    }
    Napi::Float32Array copy = Napi::Float32Array::New(info.Env(), length);
    std::memcpy(copy.Data(), rows, length * sizeof(float));
    return copy;
}

// setStates(context, states), after context.addToBatch(): the states that belong to the batch's tokens.
Napi::Value set_states(const Napi::CallbackInfo & info) {
    auto * context = Napi::ObjectWrap<AddonContext>::Unwrap(info[0].As<Napi::Object>());
    const Napi::Float32Array given = info[1].As<Napi::Float32Array>();
    const size_t width = llama_model_n_embd_out(llama_get_model(context->ctx));
    if (given.ElementLength() != context->batch.n_tokens * width) {
        Napi::Error::New(info.Env(), "the states do not belong to the batch").ThrowAsJavaScriptException();
        return info.Env().Undefined();
    }
    // llama_batch_free, which the addon calls, frees it.
    std::free(context->batch.embd);
    context->batch.embd = static_cast<float *>(std::malloc(given.ByteLength()));
    std::memcpy(context->batch.embd, given.Data(), given.ByteLength());
    return info.Env().Undefined();
}

// memoryByCard(context): [{ bytes, freeBytes }] of each card, in order; the model's weights included.
Napi::Value memory_by_card(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    auto * context = Napi::ObjectWrap<AddonContext>::Unwrap(info[0].As<Napi::Object>());
    const llama_memory_breakdown taken = llama_get_memory_breakdown(context->ctx);
    Napi::Array cards = Napi::Array::New(env);
    for (size_t i = 0; i < ggml_backend_dev_count(); i++) {
        ggml_backend_dev_t device = ggml_backend_dev_get(i);
        const auto type = ggml_backend_dev_type(device);
        if (type != GGML_BACKEND_DEVICE_TYPE_GPU && type != GGML_BACKEND_DEVICE_TYPE_IGPU) continue;
        size_t bytes = 0;
        for (const auto & [buffer, memory] : taken) {
            const bool isHere = !ggml_backend_buft_is_host(buffer) && ggml_backend_buft_get_device(buffer) == device;
            if (isHere) bytes += memory.total();
        }
        size_t total = 0;
        size_t free = 0;
        ggml_backend_dev_memory(device, &free, &total);
        Napi::Object card = Napi::Object::New(env);
        card.Set("bytes", Napi::Number::New(env, static_cast<double>(bytes)));
        card.Set("freeBytes", Napi::Number::New(env, static_cast<double>(free)));
        cards.Set(cards.Length(), card);
    }
    return cards;
}

Napi::Object register_module(Napi::Env env, Napi::Object exports) {
    register_image_reader(env, exports);
    exports.Set("configureModel", Napi::Function::New(env, configure_model));
    exports.Set("memoryByCard", Napi::Function::New(env, memory_by_card));
    exports.Set("configureContext", Napi::Function::New(env, configure_context));
    exports.Set("keepStates", Napi::Function::New(env, keep_states));
    exports.Set("states", Napi::Function::New(env, states));
    exports.Set("setStates", Napi::Function::New(env, set_states));
    return exports;
}

} // namespace

NODE_API_MODULE(engine_extension, register_module)
