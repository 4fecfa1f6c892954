// Package simulation proves emulators by simulation. All of it is tests: emulators, their stores, clocks, clients and receivers
// of webhooks run in one bubble of testing/synctest, on one seed, without a sleep, a port or a process. The only files are those of snapshots.
//
// A seed draws a plan (plan_test.go): who goes on at each step, and what fails. The scheduler (schedule_test.go) waits until every
// goroutine has parked, in a call of the store, a receiver or between two requests, and lets one of them go on. So a plan runs the
// same each time, and a part of a plan is a plan: a failed one is cut down to the steps that matter. What clients, receivers and
// the disk have seen flows out, and is checked by a model of a world and by laws (model_test.go, laws_test.go).
//
// A bubble has no pages of a file and no descriptors of a listener: the tests of store and serve lose those. Members of etcd that fail
// are real (replicas_test.go), and the model is compared with the engines (engines_test.go).
//
//	go test ./emulator/internal/simulation -seeds 200      # the first 200 seeds
//	go test -v ./emulator/internal/simulation -seed 42     # one alone, as a table of who did what when
//	go test ./emulator/internal/simulation -run Planted -planted
package simulation
