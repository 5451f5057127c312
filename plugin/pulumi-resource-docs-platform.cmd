@rem On Windows the engine starts this file, where it finds no .exe.
@node "%~dp0..\dist\plugin\main.js" %*
