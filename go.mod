module github.com/understudy-sandbox/understudy

go 1.26.0

require (
	github.com/agnivade/levenshtein v1.2.2 // "did you mean"
	github.com/anishathalye/porcupine v1.3.1 // tests: histories of replicas
	github.com/brianvoe/gofakeit/v7 v7.18.1 // names, streets and words
	github.com/chromedp/cdproto v0.159.0 // tests: a browser
	github.com/chromedp/chromedp v0.23.0 // tests: a browser
	github.com/getkin/kin-openapi v0.152.0 // tests: answers against the OpenAPI document
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // request bodies: refuses keys twice and invalid UTF-8
	github.com/goccy/go-yaml v1.19.2 // scenario files with positions
	github.com/google/go-cmp v0.7.0 // tests: differences
	github.com/hashicorp/golang-lru/v2 v2.0.7 // caches
	github.com/julienschmidt/httprouter v1.3.0 // routing, without its redirects
	github.com/oklog/ulid/v2 v2.1.2 // ids
	github.com/prometheus/client_golang v1.25.0 // metrics
	github.com/rivo/uniseg v0.4.7 // widths of characters on a terminal
	github.com/rs/cors v1.11.1 // preflights of browsers
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // tests: the schema of scenario files
	github.com/urfave/cli/v3 v3.14.0 // commands and flags
	github.com/yuin/goldmark v1.8.7 // the docs as pages
	go.etcd.io/bbolt v1.5.0 // the store of one process
	go.etcd.io/etcd/api/v3 v3.7.3 // the store of replicas
	go.etcd.io/etcd/client/v3 v3.7.3 // the store of replicas
	go.uber.org/zap v1.27.1 // the log of etcd's client
	golang.org/x/sync v0.24.0 // limits of what all clients hold together
	golang.org/x/sys v0.49.0 // signals and files of each system
	golang.org/x/term v0.47.0 // width of a terminal
	google.golang.org/grpc v1.83.2 // errors of etcd's client
	pgregory.net/rapid v1.3.0 // tests: properties
)

require (
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/coreos/go-semver v0.3.1 // indirect
	github.com/coreos/go-systemd/v22 v22.7.0 // indirect
	github.com/go-openapi/jsonpointer v0.22.5 // indirect
	github.com/go-openapi/swag/jsonname v0.25.5 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.29.0 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/oasdiff/yaml v0.1.1 // indirect
	github.com/oasdiff/yaml3 v0.0.14 // indirect
	github.com/prometheus/client_model v0.6.3 // indirect
	github.com/prometheus/common v0.72.0 // indirect
	github.com/prometheus/procfs v0.22.0 // indirect
	go.etcd.io/etcd/client/pkg/v3 v3.7.3 // indirect
	go.uber.org/multierr v1.11.0 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20260803160001-6ac0973c030d // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260803160001-6ac0973c030d // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
