-- Uses tangle-lsp in Neovim without plugins. Prints one line for each check; the first failed check ends with exit
-- status 1. Debian's Neovim 0.7 has no inlay hints and no pull diagnostics, so the script sends such requests itself.

local kernel, server, mode = arg_kernel, arg_server, arg_mode
-- In milliseconds: the time limit for findings, and the limit for all other waits.
local patience, bound = 1000 * arg_patience, 60000

local function fail(what, seen)
  io.stdout:write('not ok - ' .. what .. ': ' .. vim.inspect(seen) .. '\n')
  vim.cmd('cquit 1')
end

local function check(what, holds, seen)
  if not holds then fail(what, seen) end
  io.stdout:write('ok - ' .. what .. '\n')
end

--- Waits until `look` returns a true value, and returns that value.
local function until_true(what, look, timeout)
  local seen
  if not vim.wait(timeout or bound, function() seen = look() return seen end, 10) then
    fail(what, vim.diagnostic.get(0))
  end
  return seen
end

vim.cmd('edit ' .. kernel)
vim.bo.filetype = 'opencl'
local buffer = vim.api.nvim_get_current_buf()
local client_id = vim.lsp.start_client({ name = 'tangle', cmd = { server }, root_dir = vim.fn.getcwd() })
if not client_id then fail('the server starts', server) end
vim.lsp.buf_attach_client(buffer, client_id)

--- The lines (from 1) with findings, separated by spaces.
local function marked()
  local lines, list = {}, {}
  for _, finding in ipairs(vim.diagnostic.get(buffer)) do lines[finding.lnum + 1] = true end
  for line in pairs(lines) do table.insert(list, line) end
  table.sort(list)
  return table.concat(list, ' ')
end

local function set_line(line, text)
  vim.api.nvim_buf_set_lines(buffer, line - 1, line, true, { text })
end

local function request(method, params)
  local answer = vim.lsp.buf_request_sync(buffer, method, params, bound)
  local of_server = answer and answer[client_id]
  if not of_server then fail(method .. ' is answered', answer) end
  return of_server
end

local function at(line, column)
  return { textDocument = vim.lsp.util.make_text_document_params(buffer), position = { line = line - 1, character = column - 1 } }
end

if mode == 'control' then
  -- Control: with a server that does not work, no finding may appear.
  vim.wait(patience, function() return marked() ~= '' end, 10)
  check('nothing is found', marked() == '', marked())
  vim.cmd('qall!')
  return
end

until_true('the server comes up', function() return vim.lsp.get_client_by_id(client_id).initialized end)

until_true('the jump into the loop is found', function() return marked() == '8' end, patience)
local by_rule = {}
for _, found in ipairs(vim.diagnostic.get(buffer)) do by_rule[found.code] = found end
local finding = by_rule['implementation-defined-convergence']
check('it names its rule', finding and finding.source == 'tangle', by_rule)
check('it says why', finding.message:find('goto inside', 1, true), finding)

set_line(4, '  if (get_local_id(0) > 3) a[0] = 1;')
set_line(7, '    ;')
until_true('it is gone when the jump is', function() return marked() == '' end)
set_line(4, '  if (get_local_id(0) > 3) goto inside;')
set_line(7, 'inside:')
until_true('it is back with the jump', function() return marked() == '8' end)

-- Positions count UTF-16 code units; a character outside the Basic Multilingual Plane has two.
set_line(6, '    /* 🧶 */ a[i] = nowhere[i];')
local unknown = until_true('an unknown name behind a wide character is found', function()
  for _, found in ipairs(vim.diagnostic.get(buffer)) do if found.lnum == 5 then return found end end
end)
check('its column is right', unknown.col == #'    /* 🧶 */ a[i] = ', unknown)
set_line(6, '    a[i] = i;')
until_true('it is gone again', function() return marked() == '8' end)

--- Runs a command of the server, and returns its text.
local function run(command, argument)
  local answer = request('workspace/executeCommand', { command = command, arguments = { argument } })
  return type(answer.result) == 'string' and answer.result or vim.inspect(answer)
end
-- With eight work-items, four jump into the loop. The first barrier of both parts is one execution, or one for each part.
local rule = 'implementation-defined-convergence'
local place = { uri = vim.uri_from_bufnr(buffer), position = at(8, 5).position, rule = rule }
local witness = run('tangle.server.witness', place)
check('an execution confirms the finding', witness:find('two executions are possible with 8 work-items', 1, true), witness)
check('it names the threads', witness:find('line 8: ######## work-items 0-7 execute `barrier` together', 1, true), witness)
local equal = 'no difference: the flow graphs of both versions are equal'
set_line(6, '    a[i] = i; // a comment')
local compared = run('tangle.server.compare', { uri = place.uri })
check('a comment makes no difference to the saved version', compared:find(equal, 1, true), compared)
set_line(6, '    a[i] = i;')

vim.api.nvim_win_set_cursor(0, { 8, 6 })
vim.lsp.buf.hover()
local text = until_true('the hover is shown', function()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
    end
  end
end)
check('the hover tells of the barrier', text:find('barrier', 1, true), text)
local range = { start = { line = 0, character = 0 }, ['end'] = { line = 10, character = 0 } }
local hints = request('textDocument/inlayHint', { textDocument = at(1, 1).textDocument, range = range })
check('there are hints', hints.result and #hints.result > 0, hints)
local symbols = request('textDocument/documentSymbol', { textDocument = at(1, 1).textDocument })
check('the kernel is a symbol', symbols.result[1] and symbols.result[1].name == 'entered', symbols)
local found = request('textDocument/definition', at(4, 34)).result
local target = found and (found[1] or found)
local range = target and (target.range or target.targetSelectionRange)
check('a jump leads to its label', range and range.start.line == 6, found)

--- The labels of the completions at a line and column.
local function completed(line, column)
  local labels = {}
  for _, item in ipairs(request('textDocument/completion', at(line, column)).result or {}) do
    table.insert(labels, item.label)
  end
  return table.concat(labels, ' ')
end
set_line(6, '    goto ;')
check('only labels follow goto', completed(6, 10) == 'inside', completed(6, 10))
set_line(6, '    barrier();')
check('flags are offered in a barrier', completed(6, 13):find('CLK_LOCAL_MEM_FENCE', 1, true), completed(6, 13))

vim.lsp.stop_client(client_id)
check('the server ends when asked', vim.wait(bound, function() return not vim.lsp.get_client_by_id(client_id) end, 10))
vim.cmd('qall!')
