;;; Opens the file that KERNEL names, as a user would whose init file is SETUP, and prints the lines that have findings.  -*- lexical-binding: t -*-

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
(kill-emacs)
