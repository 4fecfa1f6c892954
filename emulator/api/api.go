// Package api is the wire contract of the emulated service: its resources and enumerations (spec section 2), the
// decoding and validation of requests (sections 4 and 9), the error envelope (section 7) and the OpenAPI document that
// says the same to machines. It imports nothing of this project.
//
// In resources a pointer or a slice is a key that may be null; every key is always present. Where the spec has a list
// that may not be null, the comment says so and [] stands for none.
package api
