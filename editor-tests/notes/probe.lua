-- Opens the file KERNEL with SETUP as the init file. Prints the lines with findings, and the hover at the first
-- finding. Enables file type detection, which the command-line options of these tests disable.
vim.cmd('filetype on')
vim.cmd('luafile ' .. os.getenv('SETUP'))
vim.cmd('edit ' .. os.getenv('KERNEL'))
vim.wait(1000 * os.getenv('PATIENCE'), function() return #vim.diagnostic.get(0) > 0 end, 10)
local findings = vim.diagnostic.get(0)
for _, finding in ipairs(findings) do
  io.stdout:write('found ' .. finding.lnum + 1 .. ' ' .. finding.message .. '\n')
end
if findings[1] then
  vim.api.nvim_win_set_cursor(0, { findings[1].lnum + 1, findings[1].col })
  -- Completion after the first `(` or quote behind the start of the finding.
  local line = vim.fn.getline('.')
  local place = vim.lsp.util.make_position_params()
  local after = line:find('[("]', findings[1].col + 1)
  place.position.character = after or findings[1].col
  local labels = {}
  for _, answer in pairs(vim.lsp.buf_request_sync(0, 'textDocument/completion', place, 60000) or {}) do
    for _, item in ipairs(answer.result or {}) do table.insert(labels, item.label) end
  end
  io.stdout:write('completed ' .. table.concat(labels, ' ') .. '\n')
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/hover', vim.lsp.util.make_position_params(), 60000)
  for _, answer in pairs(answers or {}) do io.stdout:write('hover ' .. answer.result.contents.value .. '\n') end
end
vim.cmd('qall!')
