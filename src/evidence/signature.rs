//! Turns a record's text and the signature beside it into the key that vouches for the record.
//!
//! Must not know whom a course trusts. A signature is what `ssh-keygen -Y sign -n lessonc-evidence RECORD` makes of the record's text
//! with LF line ends, and nothing here starts a program to check one.

use ssh_key::public::KeyData;
use ssh_key::{HashAlg, PublicKey, SshSig};

/// What a signature is for: one that was made of the same bytes for another purpose vouches for nothing here.
pub const NAMESPACE: &str = "lessonc-evidence";

/// What stands behind a record's name in that of its signature.
pub const ENDING: &str = ".sig";

/// The name of the signature of the file `record`.
#[must_use]
pub fn name(record: &str) -> String {
    format!("{record}{ENDING}")
}

/// The key that signed `text` by the signature `pem`.
///
/// # Errors
/// Why the signature vouches for nothing: one sentence.
pub fn key(text: &str, pem: &str) -> Result<KeyData, String> {
    let signature = SshSig::from_pem(pem.trim_end()).map_err(|error| format!("it is no signature of `ssh-keygen -Y sign`: {error}"))?;
    let namespace = signature.namespace();
    if namespace != NAMESPACE {
        return Err(format!("it is of the namespace `{}`, and evidence is signed in `{NAMESPACE}`", namespace.escape_debug()));
    }
    let key = PublicKey::new(signature.public_key().clone(), "");
    taken(key.key_data())?;
    match key.verify(NAMESPACE, text.as_bytes(), &signature) {
        Ok(()) => Ok(key.key_data().clone()),
        Err(_) => Err("it was made of another text".to_owned()),
    }
}

/// Whether signatures of `key` are checked here; those of a security key among them.
///
/// # Errors
/// Why not: one sentence.
pub fn taken(key: &KeyData) -> Result<(), String> {
    use ssh_key::Algorithm::{Ecdsa, Ed25519, SkEcdsaSha2NistP256, SkEd25519};
    use ssh_key::EcdsaCurve::{NistP256, NistP384};
    match key.algorithm() {
        Ed25519 | SkEd25519 | SkEcdsaSha2NistP256 | Ecdsa { curve: NistP256 | NistP384 } => Ok(()),
        other => Err(format!("a key of the kind {} is not taken; take ssh-ed25519, or an ECDSA key of 256 or 384 bits", other.as_str())),
    }
}

/// A key as people compare it: `SHA256:…`.
#[must_use]
pub fn fingerprint(key: &KeyData) -> String {
    key.fingerprint(HashAlg::Sha256).to_string()
}

#[cfg(test)]
pub(crate) mod tests {
    use ssh_key::private::{EcdsaKeypair, Ed25519Keypair, KeypairData};
    use ssh_key::{LineEnding, PrivateKey};

    use super::*;

    /// A key that is the same in every run of the tests.
    pub(crate) fn test_key(seed: u8) -> PrivateKey {
        PrivateKey::new(KeypairData::from(Ed25519Keypair::from_seed(&[seed; 32])), "test").unwrap()
    }

    pub(crate) fn signed(key: &PrivateKey, namespace: &str, text: &str) -> String {
        key.sign(namespace, HashAlg::Sha512, text.as_bytes()).unwrap().to_pem(LineEnding::LF).unwrap()
    }

    #[test]
    fn a_signature_names_the_key_of_this_text_and_purpose_only() {
        let own = test_key(1);
        let pem = signed(&own, NAMESPACE, "text\n");
        assert_eq!(key("text\n", &pem), Ok(own.public_key().key_data().clone()));
        assert_eq!(key("text\n", &format!("{pem}\n\n")), Ok(own.public_key().key_data().clone()));
        let why = |text: &str, pem: &str| key(text, pem).unwrap_err();
        assert!(why("texT\n", &pem).contains("another text"));
        assert!(why("text\n", &signed(&own, "git", "text\n")).contains("namespace `git`"));
        for broken in ["", "x", &pem[..60], &pem.replace("U1NIU0lH", "U1NIU0lI"), &pem.replace("SSH SIGNATURE", "PGP SIGNATURE")] {
            assert!(why("text\n", broken).contains("no signature"), "{broken:?}");
        }
        // Every byte of it counts, from the key on: the version before it says only how it is read.
        let key_at = "-----BEGIN SSH SIGNATURE-----\n".len() + 14;
        for at in key_at..pem.rfind("\n-----END").unwrap() {
            let byte = pem.as_bytes()[at];
            if byte.is_ascii_alphanumeric() && byte != b'A' {
                let forged = format!("{}A{}", &pem[..at], &pem[at + 1..]);
                assert_ne!(key("text\n", &forged).ok().as_ref(), Some(own.public_key().key_data()), "{at}");
            }
        }
    }

    #[test]
    fn curves_of_nist_are_taken() {
        for curve in [ssh_key::EcdsaCurve::NistP256, ssh_key::EcdsaCurve::NistP384] {
            let own = PrivateKey::new(KeypairData::from(EcdsaKeypair::random(&mut Counter(1), curve).unwrap()), "test").unwrap();
            assert_eq!(key("t", &signed(&own, NAMESPACE, "t")), Ok(own.public_key().key_data().clone()), "{curve:?}");
        }
    }

    /// Numbers for a key of tests; secret they are not.
    struct Counter(u64);

    impl ssh_key::rand_core::RngCore for Counter {
        fn next_u32(&mut self) -> u32 {
            self.next_u64() as u32
        }
        fn next_u64(&mut self) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            self.0
        }
        fn fill_bytes(&mut self, bytes: &mut [u8]) {
            bytes.iter_mut().for_each(|byte| *byte = (self.next_u64() >> 32) as u8);
        }
        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), ssh_key::rand_core::Error> {
            self.fill_bytes(bytes);
            Ok(())
        }
    }

    impl ssh_key::rand_core::CryptoRng for Counter {}
}
