package recorded

import "strings"

// kitFault is the fault of a recorded answer.
const kitFault = `{"on":"get","respond":{"status":200}}`

// testRunners run requests that are written as tests, by kits that stand for the real ones: their worlds are at the server of
// the environment, and they take one fault.
var testRunners = map[string]runner{
	"go-test": {
		programs: []string{"go"}, file: "a%03d_test.go", from: "func TestAnswer200", to: "func TestAnswer200n%d", main: "yours.go", begin: "package yours\n",
		commands: []string{"gofmt -d -e .", "go test ."},
		kit: map[string]string{
			"go.mod":     "module yours\n\nrequire " + goKit + " v0.0.0\n\nreplace " + goKit + " => ./kit\n",
			"kit/go.mod": "module " + goKit + "\n",
			"kit/kit.go": `package emulatortest

import (
	"os"
	"testing"
)

type Server struct{ URL string }

func Run(*testing.T) *Server { return &Server{os.Getenv("SERVER")} }

func (*Server) Key(*testing.T) string { return "svc_sk_test_YOUR-KEY" }

func (*Server) World(*testing.T) *Server { return nil }

func (*Server) AddFault(rule string) {
	if rule != ` + "`" + kitFault + "`" + ` {
		panic(rule)
	}
}
`},
	},
	"python-test": {
		programs: []string{"python3"}, file: "%d.py", main: "main.py", begin: "import runpy, kit\n", call: "runpy.run_path('%d.py')['test_answer_200'](kit)\n",
		commands: []string{"python3 main.py"},
		kit: map[string]string{"kit.py": `import os
url, key = os.environ["SERVER"], "svc_sk_test_YOUR-KEY"
def add_fault(rule):
    assert rule == '` + kitFault + `', rule
`},
	},
	"node-test": {
		programs: []string{"node"}, file: "%d.mjs", main: "main.mjs", call: "await import('./%d.mjs');\n",
		commands: []string{"node main.mjs"},
		kit: map[string]string{
			"node_modules/understudy-testing/package.json": `{"type": "module", "exports": "./kit.js"}`,
			"node_modules/understudy-testing/kit.js": `import assert from "node:assert";
const addFault = async (rule) => assert.equal(rule, '` + kitFault + `');
export const start = async () => ({ world: async () => ({ url: process.env.SERVER, key: "svc_sk_test_YOUR-KEY", addFault }) });
`},
	},
	"java-test": {
		programs: []string{"java", "javac"}, file: "RequestTest%d.java", from: "class RequestTest", to: "class RequestTest%d", main: "Main.java",
		begin: "class Main {\n    public static void main(String[] args) throws Exception {\n        var world = new io.github.understudysandbox.World();\n",
		call:  "        new RequestTest%d().answers200(world);\n", end: "    }\n}\n",
		commands: []string{"javac Main.java", "java Main"},
		kit: map[string]string{
			"org/junit/jupiter/api/Test.java":                 "package org.junit.jupiter.api;\npublic @interface Test {}\n",
			"org/junit/jupiter/api/extension/ExtendWith.java": "package org.junit.jupiter.api.extension;\npublic @interface ExtendWith { Class<?> value(); }\n",
			"org/junit/jupiter/api/Assertions.java": `package org.junit.jupiter.api;
public class Assertions {
    public static void assertEquals(Object want, Object got, String message) {
        if (!want.equals(got)) throw new AssertionError(message + ": " + got);
    }
}
`,
			"io/github/understudysandbox/UnderstudyExtension.java": "package io.github.understudysandbox;\npublic class UnderstudyExtension {}\n",
			"io/github/understudysandbox/World.java": `package io.github.understudysandbox;
public class World {
    public String url() { return System.getenv("SERVER"); }
    public String key() { return "svc_sk_test_YOUR-KEY"; }
    public void addFault(String rule) {
        org.junit.jupiter.api.Assertions.assertEquals("` + strings.ReplaceAll(kitFault, `"`, `\"`) + `", rule, "the fault");
    }
}
`},
	},
}

const goKit = "github.com/understudy-sandbox/understudy/emulator/emulatortest"
