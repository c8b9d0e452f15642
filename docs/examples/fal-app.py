"""An app as a script for fal has it: endpoints of a class, and its hooks.

    deployctl deploy docs/examples/fal-app.py
"""

import fal
from fal.exceptions import FieldException
from pydantic import BaseModel


class Input(BaseModel):
    text: str


class Output(BaseModel):
    words: int


class WordCounter(fal.App, name="word-counter", keep_alive=300):
    machine_type = ["GPU-H100", "GPU-A100", "S"]
    requirements = ["pydantic>=2"]
    request_timeout = 60
    startup_timeout = 120

    def setup(self):
        self.separators = "-_"

    @fal.endpoint("/")
    def count(self, input: Input) -> Output:
        if not input.text.strip():
            raise FieldException("text", "must have a word")
        text = input.text
        for separator in self.separators:
            text = text.replace(separator, " ")
        return Output(words=len(text.split()))

    def teardown(self):
        print("torn down")
