// Command launcher starts the program beside it with the C library beside it. It is the executable of the archives for Linux:
// a static one, so that it runs where the engines run, also on Alpine and in images without libatomic.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// loader is set by the build: the name depends on the processor.
var loader string

func main() {
	self, err := os.Executable()
	if err == nil {
		libraries := filepath.Join(filepath.Dir(self), "lib")
		file := filepath.Join(libraries, loader)
		arguments := []string{file, "--library-path", libraries, "--argv0", os.Args[0], filepath.Join(libraries, "program")}
		// The process stays the same, since engines end a provider by its id.
		err = syscall.Exec(file, append(arguments, os.Args[1:]...), environment())
	}
	fmt.Fprintf(os.Stderr, "%s: %v: unpack the whole archive into one folder, with its folder lib, where /proc is mounted\n", os.Args[0], err)
	os.Exit(1)
}

// environment leaves out what an image loads into each program: it fits the image's C library, and ends a program that has another.
func environment() []string {
	os.Unsetenv("LD_PRELOAD")
	return os.Environ()
}
