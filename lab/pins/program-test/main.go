// Command program-test runs the engine's own lifecycle test, ProgramTest, on one prepared program: preview, first update,
// export and import of the state, empty preview, empty update, refresh, empty preview, destroy.
package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/testing/integration"
)

// options come from the environment, as JSON, in PROGRAM_TEST.
type options struct {
	// Dir holds the program. It is copied.
	Dir string `json:"dir"`
	// Links are made in the copy, by their name there: what a package manager would install, and the plugin.
	Links map[string]string `json:"links"`
	// Outputs are the names that the stack must have.
	Outputs []string `json:"outputs"`
}

func main() {
	accept := func(string, string) (bool, error) { return true, nil }
	testing.Main(accept, []testing.InternalTest{{Name: "ProgramTest", F: run}}, nil, nil)
}

func run(t *testing.T) {
	var given options
	if err := json.Unmarshal([]byte(os.Getenv("PROGRAM_TEST")), &given); err != nil {
		t.Fatalf("PROGRAM_TEST: %v", err)
	}
	test := integration.ProgramTestOptions{
		Dir:                             given.Dir,
		NoParallel:                      true,
		RequireEmptyPreviewAfterRefresh: true,
		PrepareProject: func(project *engine.Projinfo) error {
			return link(project.Root, given.Links)
		},
		ExtraRuntimeValidation: func(t *testing.T, stack integration.RuntimeValidationStackInfo) {
			for _, name := range given.Outputs {
				if stack.Outputs[name] == nil {
					t.Errorf("the stack has no output %s", name)
				}
			}
		},
	}
	integration.ProgramTest(t, &test)
}

func link(root string, links map[string]string) error {
	for path, target := range links {
		file := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(target, file); err != nil {
			return err
		}
	}
	return nil
}
