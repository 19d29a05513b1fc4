"""tangle-lsp through a client of the protocol that is not ours: messages as VS Code and Neovim would send them, every answer
checked against the protocol's own types."""

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
LSP = os.environ["TANGLE_LSP"]


EDITORS = ["visual_studio_code", "neovim"]


@pytest_lsp.fixture(params=EDITORS, config=ClientServerConfig(server_command=[LSP]))
async def client(request, lsp_client: LanguageClient, tmp_path):
    """A session on an empty folder, with what one of the two editors can do."""
    await begin(lsp_client, request.param, tmp_path)
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(params=EDITORS, config=ClientServerConfig(server_command=[str(HERE / "../vscode/mute.mjs")]))
async def mute(request, lsp_client: LanguageClient, tmp_path):
    """The same with a server that tells no findings."""
    await begin(lsp_client, request.param, tmp_path)
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
    """What an editor answers when a server asks. The client of the library claims to, but does not; of diagnostics it knows."""
    for method in (
        lsp.WORKSPACE_INLAY_HINT_REFRESH,
        lsp.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
        lsp.WORKSPACE_CODE_LENS_REFRESH,
        lsp.CLIENT_REGISTER_CAPABILITY,
    ):
        client.feature(method)(lambda *_: None)
    client.feature(lsp.WORKSPACE_WORKSPACE_FOLDERS)(lambda *_: folders)


class Document:
    """A document that is open in the editor. Findings are pushed or pulled, as the server wants it."""

    def __init__(self, client: LanguageClient, text: str, name: str = "k.cl"):
        self.client = client
        self.uri = (client.root / name).as_uri()
        self.version = 1
        item = lsp.TextDocumentItem(uri=self.uri, language_id="opencl", version=1, text=text)
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(text_document=item))

    def change(self, *changes: lsp.TextDocumentContentChangeEvent):
        self.version += 1
        of = lsp.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version)
        params = lsp.DidChangeTextDocumentParams(text_document=of, content_changes=list(changes))
        self.client.text_document_did_change(params)

    def rewrite(self, text: str):
        self.change(lsp.TextDocumentContentChangeWholeDocument(text=text))

    async def found(self, wanted, patience: float = 60) -> list[lsp.Diagnostic]:
        """The findings, once they are as `wanted` says; that may take so many seconds."""
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
            # The text changed while the server worked on it: to be asked again.
            if "changed" in str(error):
                return None
            raise
        return list(report.items)


def lines(findings: list[lsp.Diagnostic]) -> list[int]:
    return sorted({finding.range.start.line + 1 for finding in findings})


def insert(line: int, character: int, text: str) -> lsp.TextDocumentContentChangePartial:
    """Text before a place, both counted from 0."""
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
    # One after the other, and several in one message: each counts in the text that those before it made.
    document.change(insert(1, 2, "/* 🧶 */ "))
    units = 4 if client.initialized_with.capabilities.position_encoding == lsp.PositionEncodingKind.Utf8 else 2
    behind = len("  /* ") + units + len(" */ ")
    document.change(insert(1, behind, "b"), insert(1, behind + 1, "c"), insert(1, behind + 2, "[0] = "))
    [finding, *_] = await document.found(lambda findings: any("bc" in finding.message for finding in findings))
    assert finding.range.start == lsp.Position(line=1, character=behind)


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
