"""tangle-lsp with an independent client of the protocol. It sends the messages of VS Code and Neovim, and checks each
response against the types of the protocol."""

import asyncio
import os
import pathlib
import time

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

HERE = pathlib.Path(__file__).parent
KERNEL = (HERE / "../kernels/into_loop.cl").read_text()
CUDA = (HERE / "../kernels/reduce.cu").read_text()
LSP = os.environ["TANGLE_LSP"]
CLANGD = os.environ.get("TANGLE_CLANGD", "clangd-19")


EDITORS = ["visual_studio_code", "neovim"]


@pytest_lsp.fixture(params=EDITORS, config=ClientServerConfig(server_command=[LSP]))
async def client(request, lsp_client: LanguageClient, tmp_path):
    """A session in an empty folder, with the client capabilities of one editor."""
    await begin(lsp_client, request.param, tmp_path)
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(params=EDITORS, config=ClientServerConfig(server_command=[str(HERE / "../vscode/mute.mjs")]))
async def mute(request, lsp_client: LanguageClient, tmp_path):
    """The same with a server that sends no findings."""
    await begin(lsp_client, request.param, tmp_path)
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[CLANGD, "--background-index=false", "--log=error"]))
async def clangd(lsp_client: LanguageClient, tmp_path):
    """A clangd session in the same folder."""
    await begin(lsp_client, "visual_studio_code", tmp_path)
    yield
    await lsp_client.shutdown_session()


async def begin(lsp_client: LanguageClient, editor: str, tmp_path: pathlib.Path):
    capabilities = client_capabilities(editor)
    lsp_client.root = tmp_path
    folders = [lsp.WorkspaceFolder(uri=tmp_path.as_uri(), name="work")]
    answer_requests(lsp_client, folders)
    params = lsp.InitializeParams(capabilities=capabilities, process_id=os.getpid(), workspace_folders=folders)
    lsp_client.initialized_with = await lsp_client.initialize_session(params)


def answer_requests(client: LanguageClient, folders: list[lsp.WorkspaceFolder]):
    """Adds handlers for requests of the server that the library's client declares but does not handle."""
    for method in (
        lsp.WORKSPACE_INLAY_HINT_REFRESH,
        lsp.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
        lsp.WORKSPACE_CODE_LENS_REFRESH,
        lsp.CLIENT_REGISTER_CAPABILITY,
    ):
        client.feature(method)(lambda *_: None)
    client.feature(lsp.WORKSPACE_WORKSPACE_FOLDERS)(lambda *_: folders)


class Document:
    """A document that is open in the editor. Its findings are pushed or pulled, depending on the server."""

    def __init__(self, client: LanguageClient, text: str, name: str = "k.cl", language: str = "opencl"):
        self.client = client
        self.uri = (client.root / name).as_uri()
        self.version = 1
        item = lsp.TextDocumentItem(uri=self.uri, language_id=language, version=1, text=text)
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(text_document=item))

    def change(self, *changes: lsp.TextDocumentContentChangeEvent):
        self.version += 1
        of = lsp.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version)
        params = lsp.DidChangeTextDocumentParams(text_document=of, content_changes=list(changes))
        self.client.text_document_did_change(params)

    def rewrite(self, text: str):
        self.change(lsp.TextDocumentContentChangeWholeDocument(text=text))

    async def found(self, wanted, patience: float = 60) -> list[lsp.Diagnostic]:
        """Waits until `wanted` accepts the findings, at most `patience` seconds, and returns them."""
        findings = None
        end = time.monotonic() + patience
        while time.monotonic() < end:
            findings = await self.look()
            if findings is not None and wanted(findings):
                return findings
            await asyncio.sleep(0.05)
        raise AssertionError(f"not within {patience} s; there is {findings}")

    async def look(self) -> list[lsp.Diagnostic] | None:
        if self.client.initialized_with.capabilities.diagnostic_provider is None:
            findings = self.client.diagnostics.get(self.uri)
            return None if findings is None else list(findings)
        of = lsp.TextDocumentIdentifier(uri=self.uri)
        try:
            report = await self.client.text_document_diagnostic_async(lsp.DocumentDiagnosticParams(text_document=of))
        except Exception as error:
            # The text changed during the request: ask again.
            if "changed" in str(error):
                return None
            raise
        return list(report.items)


    def identifier(self) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(uri=self.uri)

    async def hover(self, position: lsp.Position) -> str | None:
        params = lsp.HoverParams(text_document=self.identifier(), position=position)
        hover = await self.client.text_document_hover_async(params)
        return None if hover is None else hover.contents.value

    async def tokens(self, text: str) -> list[tuple[int, str]]:
        """The semantic tokens: each with its line, from 1, and `text type modifiers`."""
        legend = self.client.initialized_with.capabilities.semantic_tokens_provider.legend
        params = lsp.SemanticTokensParams(text_document=self.identifier())
        data = (await self.client.text_document_semantic_tokens_full_async(params)).data
        rows = text.split("\n")
        line = column = 0
        found = []
        for down, right, length, kind, modifiers in zip(*[iter(data)] * 5):
            line, column = line + down, right if down else column + right
            names = [name for bit, name in enumerate(legend.token_modifiers) if modifiers >> bit & 1]
            found.append((line + 1, " ".join([rows[line][column : column + length], legend.token_types[kind], *names])))
        return found


def lines(findings: list[lsp.Diagnostic]) -> list[int]:
    return sorted({finding.range.start.line + 1 for finding in findings})


def place(text: str, needle: str) -> lsp.Position:
    """The position of the first occurrence of a text."""
    before = text[: text.index(needle)]
    return lsp.Position(line=before.count("\n"), character=len(before) - (before.rfind("\n") + 1))


def insert(line: int, character: int, text: str) -> lsp.TextDocumentContentChangePartial:
    """An insertion of text at a position, counted from 0."""
    place = lsp.Position(line=line, character=character)
    return lsp.TextDocumentContentChangePartial(range=lsp.Range(start=place, end=place), text=text)


@pytest.mark.asyncio
async def test_findings_follow_the_text(client: LanguageClient):
    document = Document(client, KERNEL)
    [finding, *_] = await document.found(lambda findings: lines(findings) == [8])
    assert finding.source == "tangle"
    assert finding.related_information
    fixed = KERNEL.replace("goto inside", "a[0] = 1").replace("inside:", "    ;")
    document.rewrite(fixed)
    await document.found(lambda findings: not findings)
    document.rewrite(KERNEL)
    await document.found(lambda findings: lines(findings) == [8])


@pytest.mark.asyncio
async def test_changes_of_parts_are_applied_in_their_order(client: LanguageClient):
    if client.initialized_with.capabilities.text_document_sync == lsp.TextDocumentSyncKind.Full:
        pytest.skip("this server takes whole texts only")
    document = Document(client, "kernel void k(global int *a) {\n  a[0] = 1;\n}\n")
    await document.found(lambda findings: not findings)
    # First one change, then several in one message: each applies to the text after the previous changes.
    document.change(insert(1, 2, "/* 🧶 */ "))
    units = 4 if client.initialized_with.capabilities.position_encoding == lsp.PositionEncodingKind.Utf8 else 2
    behind = len("  /* ") + units + len(" */ ")
    document.change(insert(1, behind, "b"), insert(1, behind + 1, "c"), insert(1, behind + 2, "[0] = "))
    [finding, *_] = await document.found(lambda findings: any("bc" in finding.message for finding in findings))
    assert finding.range.start == lsp.Position(line=1, character=behind)


@pytest.mark.asyncio
async def test_a_command_shows_the_execution_of_a_finding(client: LanguageClient):
    document = Document(client, KERNEL)
    await document.found(lambda findings: lines(findings) == [8])
    at = place(KERNEL, "barrier(")
    position = {"line": at.line, "character": at.character}
    argument = {"uri": document.uri, "position": position, "rule": "implementation-defined-convergence"}
    run = lsp.ExecuteCommandParams(command="tangle.server.witness", arguments=[argument])
    text = await client.workspace_execute_command_async(run)
    # Work-items 4-7 jump into the loop: all eight execute the barrier together, or each half waits for the other.
    assert "two executions are possible with 8 work-items" in text
    assert "line 8: ######## work-items 0-7 execute `barrier` together" in text
    assert any(message.message == text for message in client.messages)


@pytest.mark.asyncio
async def test_a_header_that_is_open_is_seen_before_it_is_saved(client: LanguageClient):
    (client.root / "limits.h").write_text("#define COUNT 4\n")
    document = Document(client, '#include "limits.h"\nkernel void k(global int *a) { a[COUNT] = 1; }\n')
    await document.found(lambda findings: not findings)
    Document(client, "#define OTHER 4\n", "limits.h")
    await document.found(lambda findings: any("COUNT" in finding.message for finding in findings))


@pytest.mark.asyncio
async def test_every_rule_that_is_found_is_named(client: LanguageClient):
    document = Document(client, '#include "nowhere.h"\nkernel void k(global int *a) { a = 1.5f; ) }\n')
    findings = await document.found(lambda findings: len(findings) >= 2)
    assert all(isinstance(finding.code, str) and finding.severity for finding in findings)


@pytest.mark.asyncio
async def test_control_without_findings_from_the_server_there_are_none(mute: LanguageClient):
    document = Document(mute, KERNEL)
    with pytest.raises(AssertionError, match="there is None"):
        await document.found(lambda findings: lines(findings) == [8], patience=3)


# The line where the host code of the file begins.
HOST = place(CUDA, "int main").line + 1


@pytest.mark.asyncio
async def test_of_cuda_the_device_code_is_looked_at(client: LanguageClient):
    document = Document(client, CUDA, "reduce.cu", "cuda-cpp")
    [finding] = await document.found(lambda findings: lines(findings) == [19])
    assert finding.code == "divergent-barrier"
    barrier = finding.range.start
    assert "`__syncthreads` is a convergent operation" in (await document.hover(barrier)).replace("**", "")
    tokens = await document.tokens(CUDA)
    for expected in [
        (10, "reduce function declaration convergent"),
        (12, "i variable declaration divergent"),
        (19, "__syncthreads function defaultLibrary convergent"),
        (16, "WIDTH macro"),
    ]:
        assert expected in tokens, tokens
    context = lsp.CodeActionContext(diagnostics=[finding])
    params = lsp.CodeActionParams(text_document=document.identifier(), range=finding.range, context=context)
    titles = [action.title for action in await client.text_document_code_action_async(params)]
    assert any(title.startswith("Suppress") for title in titles), titles


@pytest.mark.asyncio
async def test_of_cuda_nothing_is_said_of_the_host(client: LanguageClient):
    document = Document(client, CUDA, "reduce.cu", "cuda-cpp")
    await document.found(lambda findings: lines(findings) == [19])
    assert not [token for token in await document.tokens(CUDA) if token[0] >= HOST]
    for needle in ["main", "host(", "CHECK(cudaMalloc", "launch =", "reduce<<<", "WIDTH>>>"]:
        assert await document.hover(place(CUDA, needle)) is None, needle
    whole = lsp.Range(start=lsp.Position(line=HOST - 1, character=0), end=lsp.Position(line=99, character=0))
    hints = await client.text_document_inlay_hint_async(lsp.InlayHintParams(text_document=document.identifier(), range=whole))
    assert not hints
    params = lsp.CompletionParams(text_document=document.identifier(), position=place(CUDA, "CHECK(cudaMalloc"))
    assert not await client.text_document_completion_async(params)


@pytest.mark.asyncio
async def test_beside_clangd_no_finding_is_told_twice(client: LanguageClient, clangd: LanguageClient):
    write_sdk(client.root)
    # A syntax error in host code, and a divergent barrier in device code.
    text = CUDA.replace("return host.empty();", "return host.empty(;")
    ours, theirs = (Document(it, text, "reduce.cu", "cuda-cpp") for it in (client, clangd))
    await theirs.found(lambda findings: findings and lines(findings)[0] >= HOST)
    await ours.found(lambda findings: lines(findings) == [19])


@pytest.mark.asyncio
async def test_beside_clangd_mistakes_of_device_code_can_be_left_to_it(client: LanguageClient, clangd: LanguageClient):
    write_sdk(client.root)
    text = CUDA.replace("int i = threadIdx.x;", "int i = ;")
    (client.root / "tangle.toml").write_text("")
    ours, theirs = (Document(it, text, "reduce.cu", "cuda-cpp") for it in (client, clangd))
    told = await theirs.found(lambda findings: findings)
    both = await ours.found(lambda findings: any(finding.code == "syntax-error" for finding in findings))
    assert set(lines(told)) & set(lines(both)), (told, both)
    (client.root / "tangle.toml").write_text("[rules]\nsyntax-error = 'off'\n")
    event = lsp.FileEvent(uri=(client.root / "tangle.toml").as_uri(), type=lsp.FileChangeType.Changed)
    client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams(changes=[event]))
    left = await ours.found(lambda findings: not any(finding.code == "syntax-error" for finding in findings))
    assert not set(lines(told)) & set(lines(left)), (told, left)


def write_sdk(folder: pathlib.Path):
    """Writes the files that clangd needs to parse the CUDA source."""
    (folder / "cuda_runtime.h").write_text((HERE / "../kernels/sdk/cuda_runtime.h").read_text())
    (folder / "compile_flags.txt").write_text("-xcuda\n-nocudainc\n-nocudalib\n-isystem\n.\n")
