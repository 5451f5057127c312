@rem On Windows the engine starts this file, where it finds no .exe.
@node "%~dp0..\dist\provider\hosts\plugin\main.js" %*
