"""A kernel for the tests of looking at the variables of Julia.

Julia is a real one; the kernel around it is not. IJulia is made of packages of Julia's own registry, which cannot be
pinned and fetched as the other requirements of the tests are. So this kernel has Julia do, in julia_child.jl, just what
IJulia's execute_request.jl does with the code, with user expressions, ans, In, Out and the count of executions, and is
for the rest ipykernel's base of kernels for any language. It shows values as text alone, and prints nothing.
"""

import os
import subprocess
from pathlib import Path

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel


class JuliaKernel(Kernel):
    implementation = "julia_kernel"
    implementation_version = "1"
    banner = "Julia, by a kernel that is for tests"
    language_info = {"name": "julia", "mimetype": "application/julia", "file_extension": ".jl", "version": "1"}

    def __init__(self, **options):
        super().__init__(**options)
        answers, write = os.pipe()
        # It ends when its input does, which is when this process ends.
        self.julia = subprocess.Popen(
            [os.environ["NBDUET_JULIA"], "--startup-file=no", "--history-file=no", str(Path(__file__).with_name("julia_child.jl")), str(write)],
            stdin=subprocess.PIPE,
            stdout=2,
            pass_fds=[write],
        )
        os.close(write)
        self.answers = os.fdopen(answers, "rb")

    def ask(self, *fields):
        for field in fields:
            data = field.encode()
            self.julia.stdin.write(b"%d\n%s" % (len(data), data))
        self.julia.stdin.flush()

    def told(self):
        line = self.answers.readline()
        if not line:
            raise EOFError("Julia has ended")
        return self.answers.read(int(line)).decode()

    def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, **_):
        expressions = user_expressions or {}
        flags = ["1" if flag else "0" for flag in (silent, store_history)]
        self.ask(*flags, code, str(len(expressions)), *(part for pair in expressions.items() for part in pair))
        # Julia counts as IJulia does, and the base by itself: with what is silent not counted, both are at the same.
        self.execution_count = int(self.told())
        if self.told() == "error":
            content = {"ename": self.told(), "evalue": self.told(), "traceback": []}
            self.send_response(self.iopub_socket, "error", content)
            return {"status": "error", "execution_count": self.execution_count, **content}
        answers = {}
        for name in expressions:
            if self.told() == "ok":
                answers[name] = {"status": "ok", "data": {"text/plain": self.told()}, "metadata": {}}
            else:
                answers[name] = {"status": "error", "ename": self.told(), "evalue": self.told(), "traceback": []}
        if self.told() == "result":
            content = {"execution_count": self.execution_count, "data": {"text/plain": self.told()}, "metadata": {}}
            self.send_response(self.iopub_socket, "execute_result", content)
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": answers}

    def do_shutdown(self, restart):
        self.julia.stdin.close()
        try:
            self.julia.wait(5)
        except subprocess.TimeoutExpired:
            self.julia.kill()
            self.julia.wait()
        return {"status": "ok", "restart": restart}


if __name__ == "__main__":
    IPKernelApp.launch_instance(kernel_class=JuliaKernel)
