"""Starts a language server, and prints its name and version: `try_server.py COMMAND...`. Fails after 30 seconds."""

import json
import signal
import subprocess
import sys


def send(stream, **message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stream.flush()


def receive(stream):
    length = 0
    while line := stream.readline().strip():
        name, value = line.split(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(stream.read(length))


signal.alarm(30)
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
parameters = {"processId": None, "rootUri": None, "capabilities": {}}
send(server.stdin, id=1, method="initialize", params=parameters)
info = receive(server.stdout)["result"]["serverInfo"]
print(info["name"], info["version"])
send(server.stdin, method="initialized", params={})
send(server.stdin, id=2, method="shutdown")
while receive(server.stdout).get("id") != 2:
    pass
send(server.stdin, method="exit")
sys.exit(server.wait())
