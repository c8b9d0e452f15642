"""A FastAPI app as a script for Modal has it: a class is entered, and its app served.

    deployctl deploy docs/examples/modal-fastapi.py
"""

import modal

image = modal.Image.debian_slim().pip_install("fastapi==0.121.3", "uvicorn==0.38.0")
app = modal.App("example-fastapi", image=image)

with image.imports():
    from fastapi import FastAPI


@app.cls(scaledown_window=300)
@modal.concurrent(max_inputs=100)
class Counter:
    start: int = modal.parameter(default=10)

    @modal.enter()
    def load(self):
        self.count = self.start

    @modal.method()
    def add(self, number: int) -> int:
        self.count += number
        return self.count

    @modal.asgi_app()
    def web(self):
        web_app = FastAPI()

        @web_app.get("/")
        def show():
            return {"count": self.count}

        @web_app.post("/add/{number}")
        async def add(number: int):
            return {"count": await self.add.remote.aio(number)}

        return web_app

    @modal.exit()
    def leave(self):
        print("counted to", self.count)
