// Command pulumi-converter-terraform is the plugin of `pulumi convert --from terraform` on the conversion that
// pulumi-terraform-bridge has. The module of the same name, which went on from it, is not among those that can be built
// here. Both ask the engine for the mappings of plugins, and read them by the same code.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	tfconvert "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tf2pulumi/convert"
	"github.com/pulumi/pulumi/pkg/v3/codegen/convert"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
)

type converter struct{}

func (converter) Close() error { return nil }

func (converter) ConvertState(context.Context, *plugin.ConvertStateRequest) (*plugin.ConvertStateResponse, error) {
	return nil, errors.New("this converter converts no state")
}

func (converter) ConvertProgram(
	_ context.Context, request *plugin.ConvertProgramRequest,
) (*plugin.ConvertProgramResponse, error) {
	mapper, err := convert.NewMapperClient(request.MapperTarget)
	if err != nil {
		return nil, err
	}
	loader, err := schema.NewLoaderClient(request.LoaderTarget)
	if err != nil {
		return nil, err
	}
	_, program, err := tfconvert.Eject(request.SourceDirectory, schema.NewCachedLoader(loader), mapper)
	if err != nil {
		return nil, err
	}
	for name, text := range program.Source() {
		if err := os.WriteFile(filepath.Join(request.TargetDirectory, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return &plugin.ConvertProgramResponse{}, nil
}

func main() {
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterConverterServer(server, plugin.NewConverterServer(converter{}))
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(handle.Port)
	if err := <-handle.Done; err != nil {
		log.Fatal(err)
	}
}
