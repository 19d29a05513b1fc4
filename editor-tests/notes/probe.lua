-- Opens the file that KERNEL names, as a user would whose init file is SETUP, and prints the lines that have findings.
vim.cmd('luafile ' .. os.getenv('SETUP'))
vim.cmd('edit ' .. os.getenv('KERNEL'))
vim.wait(1000 * os.getenv('PATIENCE'), function() return #vim.diagnostic.get(0) > 0 end, 10)
for _, finding in ipairs(vim.diagnostic.get(0)) do
  io.stdout:write('found ' .. finding.lnum + 1 .. ' ' .. finding.message .. '\n')
end
vim.cmd('qall!')
