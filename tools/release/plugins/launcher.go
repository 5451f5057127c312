// Command launcher is the executable in the archives for Linux. It starts lib/program with the C library in the folder lib.
// It is linked statically, so that it runs wherever the engines run, also on Alpine and in images without libatomic.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// loader is the file name of the program loader. The build sets it, because it depends on the processor.
var loader string

func main() {
	self, err := os.Executable()
	if err == nil {
		libraries := filepath.Join(filepath.Dir(self), "lib")
		file := filepath.Join(libraries, loader)
		arguments := []string{file, "--library-path", libraries, "--argv0", os.Args[0], filepath.Join(libraries, "program")}
		// The program replaces this process, because engines end a provider by its process id.
		err = syscall.Exec(file, append(arguments, os.Args[1:]...), environment())
	}
	fmt.Fprintf(os.Stderr, "%s: %v: unpack the whole archive into one folder, with its folder lib, where /proc is mounted\n", os.Args[0], err)
	os.Exit(1)
}

// environment returns the environment without LD_PRELOAD. An image may load a library into each program by it. That library
// fits the image's C library, and would end a program with another C library.
func environment() []string {
	os.Unsetenv("LD_PRELOAD")
	return os.Environ()
}
