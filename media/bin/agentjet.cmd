@echo off
rem Runs the command line of the extension with the Node.js of the editor.
setlocal
set ELECTRON_RUN_AS_NODE=1
if not defined AGENTJET_EDITOR_NODE set AGENTJET_EDITOR_NODE=node
"%AGENTJET_EDITOR_NODE%" "%~dp0..\..\dist\cli.mjs" %*
