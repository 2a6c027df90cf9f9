//! Settings that change while the server runs.

use std::sync::{Arc, PoisonError, RwLock};

/// A setting that all its clones share. Readers keep the value they got.
pub struct Live<T>(Arc<RwLock<Arc<T>>>);

impl<T> Clone for Live<T> {
    fn clone(&self) -> Live<T> {
        Live(Arc::clone(&self.0))
    }
}

impl<T: Default> Default for Live<T> {
    fn default() -> Live<T> {
        Live::new(T::default())
    }
}

impl<T> Live<T> {
    pub fn new(value: T) -> Live<T> {
        Live(Arc::new(RwLock::new(Arc::new(value))))
    }

    pub fn get(&self) -> Arc<T> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn set(&self, value: T) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(value);
    }
}
