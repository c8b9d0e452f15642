"""fal.ContainerImage, kept as text. No image is built; deployctl reads what it can use."""


class ContainerImage:
    def __init__(
        self,
        dockerfile_str="",
        build_args=None,
        registries=None,
        builder=None,
        compression="gzip",
        force_compression=False,
        secrets=None,
        entrypoint=None,
        cmd=None,
        use_isolate=None,
        context_dir=None,
        dockerignore=None,
        dockerignore_path=None,
    ):
        self.dockerfile_str = dockerfile_str
        self.build_args = dict(build_args or {})
        self.registries = dict(registries or {})
        self.builder = builder
        self.compression = compression
        self.force_compression = force_compression
        self.secrets = dict(secrets or {})
        self.entrypoint = entrypoint
        self.cmd = cmd
        self.use_isolate = use_isolate
        self.context_dir = context_dir
        self.dockerignore = list(dockerignore or [])
        self.dockerignore_path = dockerignore_path

    @classmethod
    def from_dockerfile_str(cls, text, **keywords):
        return cls(dockerfile_str=text, **keywords)

    @classmethod
    def from_dockerfile(cls, path, **keywords):
        with open(path, encoding="utf-8") as file:
            return cls(dockerfile_str=file.read(), **keywords)

    def add_dockerignore(self, path=None, patterns=None):
        if path is not None:
            self.dockerignore_path = path
        self.dockerignore.extend(patterns or [])

    def get_copy_add_sources(self):
        """Returns the sources of the file's COPY and ADD lines."""
        sources = []
        for line in self.dockerfile_str.splitlines():
            words = line.split()
            if words and words[0].upper() in ("COPY", "ADD"):
                sources += [word for word in words[1:-1] if not word.startswith("--")]
        return sources

    def to_dict(self):
        """Returns a dictionary without registries and secrets, which are not used here."""
        return {
            "dockerfile_str": self.dockerfile_str,
            "build_args": self.build_args,
            "builder": self.builder,
            "compression": self.compression,
            "force_compression": self.force_compression,
            "entrypoint": self.entrypoint,
            "cmd": self.cmd,
        }
