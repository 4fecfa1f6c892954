package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// instructions are what the last stage may say, and what becomes of it.
var instructions = map[string]func(config *v1.Config, rest string) error{
	"ARG":         func(*v1.Config, string) error { return nil },
	"COPY":        func(*v1.Config, string) error { return nil }, // newLayer has the files
	"CMD":         func(c *v1.Config, rest string) error { return json.Unmarshal([]byte(rest), &c.Cmd) },
	"ENTRYPOINT":  func(c *v1.Config, rest string) error { return json.Unmarshal([]byte(rest), &c.Entrypoint) },
	"ENV":         func(c *v1.Config, rest string) error { c.Env = strings.Fields(rest); return nil },
	"EXPOSE":      expose,
	"HEALTHCHECK": healthcheck,
	"LABEL":       label,
	"USER":        func(c *v1.Config, rest string) error { c.User = rest; return nil },
}

// readDockerfile returns the settings of the last stage.
func readDockerfile(name string, arguments map[string]string) (config v1.Config, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return config, err
	}
	_, stage, ok := strings.Cut(string(text), "\nFROM scratch\n")
	if !ok {
		return config, fmt.Errorf("%s: the last stage is not FROM scratch", name)
	}
	for line := range strings.Lines(strings.ReplaceAll(stage, "\\\n", "")) {
		instruction, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if instruction == "" || instruction[0] == '#' {
			continue
		}
		apply, ok := instructions[instruction]
		if !ok {
			return config, fmt.Errorf("%s: the image is written without %s: add it to instructions", name, instruction)
		}
		rest = os.Expand(rest, func(argument string) string { return arguments[argument] })
		if err := apply(&config, rest); err != nil {
			return config, fmt.Errorf("%s: %s: %w", name, instruction, err)
		}
	}
	return config, nil
}

func expose(c *v1.Config, port string) error {
	c.ExposedPorts = map[string]struct{}{port + "/tcp": {}}
	return nil
}

var option = regexp.MustCompile(`--([a-z-]+)=(\S+)`)

func healthcheck(c *v1.Config, rest string) error {
	options, command, _ := strings.Cut(rest, "CMD ")
	c.Healthcheck = new(v1.HealthConfig)
	spans := map[string]*time.Duration{
		"interval": &c.Healthcheck.Interval, "timeout": &c.Healthcheck.Timeout, "start-period": &c.Healthcheck.StartPeriod,
	}
	for _, match := range option.FindAllStringSubmatch(options, -1) {
		span, err := time.ParseDuration(match[2])
		if err != nil || spans[match[1]] == nil {
			return fmt.Errorf("unknown option %s", match[0])
		}
		*spans[match[1]] = span
	}
	var words []string
	if err := json.Unmarshal([]byte(command), &words); err != nil {
		return err
	}
	c.Healthcheck.Test = append([]string{"CMD"}, words...)
	return nil
}

var pair = regexp.MustCompile(`(\S+?)=("[^"]*"|\S+)`)

func label(c *v1.Config, rest string) error {
	c.Labels = make(map[string]string)
	for _, match := range pair.FindAllStringSubmatch(rest, -1) {
		c.Labels[match[1]] = strings.Trim(match[2], `"`)
	}
	return nil
}
