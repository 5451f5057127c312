module pulumi-docs-platform/tools/pins/forward-proxy

go 1.23.0

require github.com/elazarl/goproxy v1.8.3

require (
	golang.org/x/net v0.43.0 // indirect
	golang.org/x/text v0.28.0 // indirect
)
