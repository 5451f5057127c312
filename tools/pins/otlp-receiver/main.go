// Command otlp-receiver takes spans by OTLP over gRPC, by the receiver of the OpenTelemetry Collector, and writes each batch as
// a line of OTLP's JSON. It hands on nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

// Set at the build.
var version = "none"

func main() {
	address := flag.String("address", "", "where to listen: 127.0.0.1:4317")
	shows := flag.Bool("version", false, "tells the version")
	flag.Parse()
	if *shows {
		fmt.Println(version)
		return
	}
	if err := receive(*address); err != nil {
		log.Fatal(err)
	}
	select {}
}

func receive(address string) error {
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig().(*otlpreceiver.Config)
	config.GRPC.GetOrInsertDefault().NetAddr.Endpoint = address
	sink, err := consumer.NewTraces(write)
	if err != nil {
		return err
	}
	settings := receivertest.NewNopSettings(component.MustNewType("otlp"))
	receiver, err := factory.CreateTraces(context.Background(), settings, config, sink)
	if err != nil {
		return err
	}
	return receiver.Start(context.Background(), componenttest.NewNopHost())
}

func write(_ context.Context, spans ptrace.Traces) error {
	line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(spans)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(line, '\n'))
	return err
}
