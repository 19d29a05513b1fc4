;;; What an editor shows of a file with the notes as its settings.  -*- lexical-binding: t -*-
;; Opens the file that KERNEL names, as a user would whose init file is SETUP, and prints the lines that have findings, and the hover over
;; the first of them.

(package-initialize)
(load (getenv "SETUP") nil t)
(require 'eglot)
(find-file (getenv "KERNEL"))
;; What the mode's hook put off until after the command: there are no commands here.
(run-hooks 'post-command-hook)
(let ((end (+ (float-time) (string-to-number (getenv "PATIENCE")))))
  (while (and (< (float-time) end) (not (and (bound-and-true-p flymake-mode) (flymake-diagnostics))))
    (accept-process-output nil 0.05)))
(dolist (finding (flymake-diagnostics))
  (princ (format "found %d %s\n" (line-number-at-pos (flymake-diagnostic-beg finding)) (flymake-diagnostic-text finding))))
(when (flymake-diagnostics)
  (goto-char (flymake-diagnostic-beg (car (flymake-diagnostics))))
  (let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
    (princ (format "hover %s\n" (plist-get (plist-get hover :contents) :value)))))
(kill-emacs)
