package emulator

import (
	"errors"
	"log/slog"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// reload has requests follow the scenario files as they are now. While one of them is not right, all stays as it was.
func (e *Emulator) reload(files scenarios.Files) {
	catalogue, err := files.Load()
	e.figures.reloads.Add(err == nil)
	if err != nil {
		logProblems(e.log, err)
		e.log.Error("scenarios not reloaded: what was loaded before is served on", "scenarios", e.Scenarios())
		return
	}
	e.worlds.SetCatalogue(catalogue)
	e.log.Info("scenarios reloaded", "scenarios", catalogue.Len(), "files", files.Len())
	logCatalogue(e.log, catalogue)
}

// logCatalogue writes what is worth knowing of a catalogue that was loaded.
func logCatalogue(log *slog.Logger, catalogue *scenarios.Catalogue) {
	for _, replaced := range catalogue.Replaced() {
		log.Info("a built-in scenario file is replaced", "file", replaced)
	}
	logProblems(log, catalogue.Warnings())
}

// logProblems writes a line for each problem: a warning, or an error.
func logProblems(log *slog.Logger, err error) {
	var problems scenarios.Problems
	if !errors.As(err, &problems) {
		log.Error("scenario files", "problem", err)
		return
	}
	for _, p := range problems {
		if p.Warning {
			log.Warn("scenario file", "at", p.At.String(), "problem", p.What, "line", p.Line)
		} else {
			log.Error("scenario file", "at", p.At.String(), "problem", p.What, "line", p.Line)
		}
	}
}
