"""fal.apps, which calls apps on fal's machines and is not supported here."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)

    def refuse(*_, **__):
        raise NotImplementedError(
            "fal.apps.%s calls apps on fal's machines; call the app's URL over HTTP instead" % name
        )

    return refuse
