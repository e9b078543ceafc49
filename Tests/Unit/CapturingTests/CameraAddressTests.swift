// SPDX-License-Identifier: Apache-2.0

import PlayheadCapturing
import Testing

@Suite struct CameraAddressTests {
    @Test(arguments: [
        ("camera:0", "camera:0?zoom=3&light=1"), ("camera:", "camera:?zoom=3&light=1"),
        ("camera:0?size=640x480&zoom=9", "camera:0?size=640x480&zoom=3&light=1"),
        ("camera:Desk?light=0&range=full", "camera:Desk?range=full&zoom=3&light=1"),
    ])
    func `other values of controls replace those of the address`(
        text: String, expected: String
    ) throws {
        let address = try CameraAddress(text)
        #expect(address.text(withControls: [("zoom", 3), ("light", 1)]) == expected)
    }

    @Test func `without controls the rest of the address remains`() throws {
        #expect(try CameraAddress("camera:0?light=1").text(withControls: []) == "camera:0")
        let rest = try CameraAddress("camera:0?rate=5&light=1").text(withControls: [])
        #expect(rest == "camera:0?rate=5")
    }
}
