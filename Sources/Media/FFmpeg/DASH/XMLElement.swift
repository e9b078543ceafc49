// SPDX-License-Identifier: Apache-2.0

/// An element of an XML document, with its contents.
///
/// - Concurrency: a value.
struct XMLElement {
    /// The name without the prefix of its namespace.
    var name: String
    /// The attributes. Names have the prefix of their namespace.
    var attributes: [(name: String, value: String)] = []
    var children: [XMLElement] = []
    /// The text directly in the element, without the white space around it.
    var text = ""

    /// Returns the value of an attribute; nil if the element does not have it.
    subscript(attribute: String) -> String? {
        attributes.first { $0.name == attribute }?.value
    }

    /// Returns the value of an attribute whose name may have any prefix; nil if there is no such
    /// attribute.
    func value(ofLocal name: String) -> String? {
        attributes.first { attribute in
            attribute.name == name || attribute.name.hasSuffix(":" + name)
        }?.value
    }

    /// Returns the children with a name, in order.
    func children(named name: String) -> [XMLElement] { children.filter { $0.name == name } }

    func firstChild(named name: String) -> XMLElement? { children.first { $0.name == name } }
}
