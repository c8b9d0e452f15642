"""vLLM as a script for Modal has it: the function starts a server and returns.

    deployctl deploy docs/examples/modal-vllm.py
"""

import os
import subprocess

import modal

MODEL_NAME = os.environ.get("MODEL_NAME", "Qwen/Qwen3-0.6B")
PORT = 8000
MINUTES = 60

image = (
    modal.Image.from_registry("nvidia/cuda:12.8.0-devel-ubuntu22.04", add_python="3.12")
    .entrypoint([])
    .apt_install("git")
    .uv_pip_install("vllm==0.13.0", "huggingface-hub==0.36.0")
    .env({"HF_XET_HIGH_PERFORMANCE": "1"})
)
weights = modal.Volume.from_name("huggingface-cache", create_if_missing=True)

app = modal.App("example-vllm")


@app.function(
    image=image,
    gpu="H100",
    max_containers=2,
    scaledown_window=15 * MINUTES,
    timeout=10 * MINUTES,
    volumes={"/root/.cache/huggingface": weights},
)
@modal.concurrent(max_inputs=32)
@modal.web_server(port=PORT, startup_timeout=10 * MINUTES)
def serve():
    command = ["vllm", "serve", MODEL_NAME, "--host", "0.0.0.0", "--port", str(PORT)]
    subprocess.Popen(" ".join(command), shell=True)


@app.local_entrypoint()
def test():
    print(serve.get_web_url())
