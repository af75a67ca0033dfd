"""Serves a real language model on the CPU with llama.cpp, and writes its tokenizer.

Prints the address of the server in a line. Ends with the standard input.

Usage: python server.py FOLDER
"""

import sys
from pathlib import Path

import xllamacpp

from model import TEMPLATE, model_file, write_tokenizer


def serve(model: Path) -> xllamacpp.Server:
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 8192
    params.n_parallel = 2
    params.use_jinja = True
    # More threads wait for each other busily, which is slow on a machine with other work.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.chat_template = TEMPLATE.read_text()
    return xllamacpp.Server(params)


def main(folder: Path) -> None:
    model = model_file()
    write_tokenizer(model, folder)
    server = serve(model)
    print(server.listening_address, flush=True)
    sys.stdin.read()


main(Path(sys.argv[1]))
