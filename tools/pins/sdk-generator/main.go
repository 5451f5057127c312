// Command generator writes an SDK of a Pulumi schema, by the engine's own code generators. `pulumi package gen-sdk` asks
// the language hosts for them, and those that can be built from public modules are older than that.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// version is set at the build.
var version string

const tool = "pulumi"

func main() {
	file := flag.String("schema", "", "the schema")
	language := flag.String("language", "", "nodejs, python or go")
	out := flag.String("out", "", "the folder that the SDK is written to")
	tellVersion := flag.Bool("version", false, "tell the version of the generators")
	flag.Parse()
	if *tellVersion {
		fmt.Println(version)
		return
	}
	if err := generate(*file, *language, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(file, language, out string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return err
	}
	pkg, diagnostics, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err != nil {
		return err
	}
	// A warning is a fault of the schema, too.
	for _, diagnostic := range diagnostics {
		fmt.Fprintln(os.Stderr, diagnostic.Error())
	}
	if len(diagnostics) > 0 {
		return fmt.Errorf("%s has %d faults", file, len(diagnostics))
	}
	files, err := generateFor(language, pkg)
	if err != nil {
		return err
	}
	for name, content := range files {
		target := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func generateFor(language string, pkg *schema.Package) (map[string][]byte, error) {
	switch language {
	case "nodejs":
		return nodejs.GeneratePackage(tool, pkg, nil, nil, false, nil)
	case "python":
		return python.GeneratePackage(tool, pkg, nil, nil)
	case "go":
		return gogen.GeneratePackage(tool, pkg, nil)
	}
	return nil, fmt.Errorf("there is no generator for %q", language)
}
