"""The names of vLLM that Trinity-RFT 0.6.0 imports even where no engine runs, as with Tinker. None of them can be used."""


def unusable(*_args, **_kwargs):
    raise NotImplementedError("vLLM is not installed in this environment of the tests.")
