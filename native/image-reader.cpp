// Image input for a model that node-llama-cpp has loaded: images become positions of its context.
//
// node-llama-cpp has no image input, but its llama.cpp sources have libmtmd, which reads projectors. Part of
// the engine extension (engine-extension.cpp): works on the model and context of the loaded addon, and
// leaves all decisions on what to read, keep and decode to TypeScript.
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "AddonContext.h"
#include "AddonModel.h"
#include "mtmd-helper.h"
#include "mtmd.h"
#include "napi.h"

namespace {

// Last errors of libmtmd, which reports reasons only in its log.
std::mutex log_mutex;
std::string last_error;

void take_log(ggml_log_level level, const char * text, void *) {
    if (level != GGML_LOG_LEVEL_ERROR) return;
    const std::lock_guard<std::mutex> lock(log_mutex);
    if (last_error.size() < 2000) last_error += text;
}

std::string reason(const std::string & otherwise) {
    const std::lock_guard<std::mutex> lock(log_mutex);
    const std::string found = last_error.empty() ? otherwise : last_error;
    last_error.clear();
    return found;
}

using Context = std::shared_ptr<mtmd_context>;

// Runs a function on a worker thread; its exceptions reject the promise.
class Work : public Napi::AsyncWorker {
    public:
        Work(Napi::Env env, std::function<void()> run, std::function<Napi::Value(Napi::Env)> result)
            : Napi::AsyncWorker(env, "ImageReader"), run_(std::move(run)), result_(std::move(result)),
              deferred_(Napi::Promise::Deferred::New(env)) {}

        Napi::Promise promise() const { return deferred_.Promise(); }

    protected:
        void Execute() override {
            try {
                run_();
            } catch (const std::exception & error) {
                SetError(error.what());
            } catch (...) {
                SetError("unknown error");
            }
        }
        void OnOK() override { deferred_.Resolve(result_(Env())); }
        void OnError(const Napi::Error & error) override { deferred_.Reject(error.Value()); }

    private:
        std::function<void()> run_;
        std::function<Napi::Value(Napi::Env)> result_;
        Napi::Promise::Deferred deferred_;
};

Napi::Promise start(
    Napi::Env env,
    std::function<void()> run,
    std::function<Napi::Value(Napi::Env)> result = [](Napi::Env e) { return e.Undefined(); }
) {
    auto * work = new Work(env, std::move(run), std::move(result));
    work->Queue();
    return work->promise();
}

// Parts of one image in order: text tokens and image pieces.
struct Pieces {
    Context context;
    mtmd::input_chunks chunks;
    // Length of one position's embedding.
    size_t width = 0;
    // Embeddings of each encoded image piece.
    std::vector<std::vector<float>> embeddings;
};

} // namespace

class Picture : public Napi::ObjectWrap<Picture> {
    public:
        static Napi::FunctionReference constructor;

        static void init(Napi::Env env) {
            const Napi::Function definition = DefineClass(env, "Picture", {
                InstanceMethod("pieces", &Picture::pieces),
                InstanceMethod("encode", &Picture::encode),
                InstanceMethod("decode", &Picture::decode),
            });
            constructor = Napi::Persistent(definition);
            constructor.SuppressDestruct();
        }

        explicit Picture(const Napi::CallbackInfo & info) : Napi::ObjectWrap<Picture>(info) {}

        std::shared_ptr<Pieces> data;

    private:
        // [{ tokens?, tokenCount, positionCount }]: tokens only for text.
        Napi::Value pieces(const Napi::CallbackInfo & info) {
            const Napi::Env env = info.Env();
            Napi::Array list = Napi::Array::New(env);
            for (size_t i = 0; i < data->chunks.size(); i++) {
                const mtmd_input_chunk * chunk = data->chunks[i];
                Napi::Object piece = Napi::Object::New(env);
                piece.Set("tokenCount", Napi::Number::New(env, mtmd_input_chunk_get_n_tokens(chunk)));
                piece.Set("positionCount", Napi::Number::New(env, mtmd_input_chunk_get_n_pos(chunk)));
                if (mtmd_input_chunk_get_type(chunk) == MTMD_INPUT_CHUNK_TYPE_TEXT) {
                    size_t count = 0;
                    const llama_token * tokens = mtmd_input_chunk_get_tokens_text(chunk, &count);
                    Napi::Uint32Array copy = Napi::Uint32Array::New(env, count);
                    for (size_t j = 0; j < count; j++) copy[j] = static_cast<uint32_t>(tokens[j]);
                    piece.Set("tokens", copy);
                }
                list.Set(static_cast<uint32_t>(i), piece);
            }
            return list;
        }

        // encode(piece): runs the image encoder; the picture keeps the result.
        Napi::Value encode(const Napi::CallbackInfo & info) {
            const auto pieces = data;
            const size_t index = info[0].As<Napi::Number>().Uint32Value();
            return start(info.Env(), [pieces, index]() {
                const mtmd_input_chunk * chunk = pieces->chunks[index];
                if (mtmd_encode_chunk(pieces->context.get(), chunk) != 0) {
                    throw std::runtime_error(reason("the image could not be encoded"));
                }
                const float * output = mtmd_get_output_embd(pieces->context.get());
                pieces->embeddings[index].assign(output, output + size_of(*pieces, index));
            });
        }

        // decode(piece, context, sequence, position, batch): puts an encoded piece into the context.
        Napi::Value decode(const Napi::CallbackInfo & info) {
            const auto pieces = data;
            const size_t index = info[0].As<Napi::Number>().Uint32Value();
            // The addon's class, whose header is compiled in.
            auto * target = Napi::ObjectWrap<AddonContext>::Unwrap(info[1].As<Napi::Object>());
            const llama_seq_id sequence = info[2].As<Napi::Number>().Int32Value();
            const llama_pos position = info[3].As<Napi::Number>().Int32Value();
            const int32_t batch = info[4].As<Napi::Number>().Int32Value();
            llama_context * context = target->ctx;
            return start(info.Env(), [pieces, index, context, sequence, position, batch]() {
                auto & embeddings = pieces->embeddings[index];
                if (embeddings.empty()) throw std::runtime_error("the image was not encoded");
                llama_pos next = position;
                const int32_t result = mtmd_helper_decode_image_chunk(
                    pieces->context.get(), context, pieces->chunks[index], embeddings.data(),
                    position, sequence, batch, &next, nullptr, nullptr
                );
                if (result != 0) throw std::runtime_error(reason("the image could not be decoded"));
                llama_synchronize(context);
            });
        }

        static size_t size_of(const Pieces & pieces, size_t index) {
            const size_t tokens = mtmd_input_chunk_get_n_tokens(pieces.chunks[index]);
            return tokens * pieces.width;
        }
};

Napi::FunctionReference Picture::constructor;

class ImageReader : public Napi::ObjectWrap<ImageReader> {
    public:
        static void init(Napi::Env env, Napi::Object exports) {
            exports.Set("ImageReader", DefineClass(env, "ImageReader", {
                InstanceMethod("init", &ImageReader::open),
                InstanceMethod("read", &ImageReader::read),
            }));
        }

        // new ImageReader(model, projectorPath, threads, useGpu)
        explicit ImageReader(const Napi::CallbackInfo & info) : Napi::ObjectWrap<ImageReader>(info) {
            auto * model = Napi::ObjectWrap<AddonModel>::Unwrap(info[0].As<Napi::Object>());
            model_ = model->model;
            path_ = info[1].As<Napi::String>().Utf8Value();
            threads_ = info[2].As<Napi::Number>().Int32Value();
            use_gpu_ = info[3].As<Napi::Boolean>().Value();
            mtmd_helper_log_set(take_log, nullptr);
        }

    private:
        const llama_model * model_ = nullptr;
        std::string path_;
        int threads_ = 1;
        bool use_gpu_ = false;
        Context context_;

        Napi::Value open(const Napi::CallbackInfo & info) {
            return start(info.Env(), [this]() {
                mtmd_context_params params = mtmd_context_params_default();
                params.use_gpu = use_gpu_;
                params.print_timings = false;
                params.n_threads = threads_;
                // The warm-up finds out if flash attention works, which halves the time.
                params.warmup = true;
                mtmd_context * context = mtmd_init_from_file(path_.c_str(), model_, params);
                if (context == nullptr) throw std::runtime_error(reason("it could not be read"));
                context_ = Context(context, mtmd_free);
                if (!mtmd_support_vision(context)) throw std::runtime_error("it is not for images");
            });
        }

        // read(bytes): decodes a PNG or JPEG and splits it as the projector needs it.
        Napi::Value read(const Napi::CallbackInfo & info) {
            const auto bytes = info[0].As<Napi::Uint8Array>();
            auto copy = std::make_shared<std::vector<uint8_t>>(bytes.Data(), bytes.Data() + bytes.ByteLength());
            auto pieces = std::make_shared<Pieces>();
            pieces->context = context_;
            pieces->width = static_cast<size_t>(llama_model_n_embd_inp(model_));
            return start(
                info.Env(),
                [copy, pieces]() {
                    auto * context = pieces->context.get();
                    mtmd::bitmap bitmap(mtmd_helper_bitmap_init_from_buf(
                        context, copy->data(), copy->size(), false, mtmd_helper_init_opt_default()).bitmap);
                    if (!bitmap.ptr) throw std::runtime_error(reason("the image could not be read"));
                    pieces->chunks.ptr.reset(mtmd_input_chunks_init());
                    const std::string marker = mtmd_get_marker(context);
                    const mtmd_input_text text = { marker.c_str(), marker.size(), false, true };
                    const mtmd_bitmap * list[] = { bitmap.ptr.get() };
                    if (mtmd_tokenize(context, pieces->chunks.ptr.get(), &text, list, 1) != 0) {
                        throw std::runtime_error(reason("the image could not be prepared"));
                    }
                    pieces->embeddings.resize(pieces->chunks.size());
                },
                [pieces](Napi::Env env) {
                    Napi::Object object = Picture::constructor.New({});
                    Napi::ObjectWrap<Picture>::Unwrap(object)->data = pieces;
                    return object;
                }
            );
        }
};

void register_image_reader(Napi::Env env, Napi::Object exports) {
    Picture::init(env);
    ImageReader::init(env, exports);
}
