# Renders templates as transformers does: reads {"now", "jobs": [{"source", "variables"}]} from stdin,
# prints one line of JSON for each job: {"text"} or {"error"}.
import json
import sys
from datetime import datetime

from jinja2 import nodes
from jinja2.exceptions import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment


class Generation(Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def raise_exception(message):
    raise TemplateError(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


work = json.load(sys.stdin)
now = datetime.fromisoformat(work["now"])
environment = ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
)
environment.filters["tojson"] = tojson
environment.globals["raise_exception"] = raise_exception
environment.globals["strftime_now"] = lambda form: now.strftime(form)
templates = {}
for job in work["jobs"]:
    try:
        source = job["source"]
        if source not in templates:
            templates[source] = environment.from_string(source)
        text = templates[source].render(**job["variables"])
        print(json.dumps({"text": text}))
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}))
