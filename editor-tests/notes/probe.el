;;; Prints the findings and a hover in a file, with the instructions as settings.  -*- lexical-binding: t -*-
;; Opens the file KERNEL with SETUP as the init file. Prints the lines with findings, and the hover at the first
;; finding.

(package-initialize)
(load (getenv "SETUP") nil t)
(require 'eglot)
(find-file (getenv "KERNEL"))
;; The hook of the mode delays work until after the command, but a batch run has no commands.
(run-hooks 'post-command-hook)
(let ((end (+ (float-time) (string-to-number (getenv "PATIENCE")))))
  (while (and (< (float-time) end) (not (and (bound-and-true-p flymake-mode) (flymake-diagnostics))))
    (accept-process-output nil 0.05)))
(dolist (finding (flymake-diagnostics))
  (princ (format "found %d %s\n" (line-number-at-pos (flymake-diagnostic-beg finding)) (flymake-diagnostic-text finding))))
(when (flymake-diagnostics)
  (goto-char (flymake-diagnostic-beg (car (flymake-diagnostics))))
  ;; Completion after the first `(` or quote behind the start of the finding.
  (let* ((place (save-excursion
                  (re-search-forward "[(\"]" (line-end-position) t)
                  (eglot--TextDocumentPositionParams)))
         (items (jsonrpc-request (eglot-current-server) :textDocument/completion place)))
    (princ (format "completed %s\n" (mapconcat (lambda (item) (plist-get item :label)) items " "))))
  (let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
    (princ (format "hover %s\n" (plist-get (plist-get hover :contents) :value)))))
(kill-emacs)
